// SPDX-License-Identifier: Apache-2.0
#include "scene/scene_shapes.hpp"

#include <cassert>
#include <cmath>

#include "hull/convex_hull.hpp"
#include "model/access.hpp"
#include "model/any_view.hpp"

namespace graze::detail {

void ObjectShape::fit_box(const Model& of) {
    if (hull.dimension() >= 0) hull = Hull();
    red = false;
    const AnyView view(Access::data(of));
    empty = view.empty();
    if (empty) return;
    box = view.volume(view.root());
    const double unit = std::ldexp(1, view.frame.exponent);
    box.centre = box.centre * unit + view.frame.centre;
    box.half = box.half * unit;
}

void ObjectShape::make_hull(const Model& of) {
    if (empty) return;
    hull = Hull(of);
    std::uint32_t reds = 0;
    for (std::uint32_t i = 0; i < hull.face_count(); ++i)
        reds += detail::red(Access::data(hull), {Feature::Kind::Face, i});
    red = 10 * std::uint64_t{reds} >= 9 * std::uint64_t{hull.face_count()};
}

ObjectShape* ShapeTable::acquire(const Model& model) {
    std::unique_ptr<ObjectShape>& shape = shapes_[&Access::data(model)];
    if (!shape) {
        shape = std::make_unique<ObjectShape>();
        shape->model = &Access::data(model);
        shape->fit_box(model);
        if (hulls_ && Access::data(model).lineage.drift == 0) shape->make_hull(model);
    }
    ++shape->users;
    return shape.get();
}

void ShapeTable::release(ObjectShape* shape) {
    if (--shape->users == 0) shapes_.erase(shape->model);
}

ObjectShape* ShapeTable::refitted(ObjectShape* shape, const Model& model) {
    if (shape->model == &Access::data(model)) {
        assert(shape->users == 1);  // every user holds a copy of the model, and a shared model is not refitted in place
    } else {
        release(shape);
        std::unique_ptr<ObjectShape>& own = shapes_[&Access::data(model)];
        assert(!own);  // nothing else has seen the copy yet
        own = std::make_unique<ObjectShape>();
        own->model = &Access::data(model);
        own->users = 1;
        shape = own.get();
    }
    shape->fit_box(model);
    return shape;
}

std::size_t ShapeTable::bytes() const {
    std::size_t sum = shapes_.bucket_count() * sizeof(void*);
    for (const auto& [model, shape] : shapes_)
        sum += sizeof(ObjectShape) + 4 * sizeof(void*) + (shape->hull.dimension() >= 0 ? shape->hull.bytes() : 0);
    return sum;
}

}  // namespace graze::detail
