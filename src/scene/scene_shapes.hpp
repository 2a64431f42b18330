// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "graze/hull.hpp"
#include "model/model_data.hpp"
#include "tree/obb.hpp"

namespace graze::detail {

/// Data that a scene computes once for all objects of one model.
struct ObjectShape {
    const ModelData* model = nullptr;  ///< only compared, never read
    std::uint32_t users = 0;           ///< objects of the scene that have it
    bool empty = true;                 ///< the model has no triangles
    bool red = false;  ///< nearly all faces of the hull are the model's own, so testing red features pays
    Obb box{};         ///< around the model, in the model's frame
    Hull hull;         ///< of dimension -1 if hulls are off or the model deforms: a hull costs more than a refit

    /// Computes the box. Drops the hull, which need not hold the model any more.
    void fit_box(const Model& of);
    void make_hull(const Model& of);
};

/// The shapes of a scene's models. A shape lives as long as an object uses it, and so does the model that it stands
/// for, as the object holds a copy: the address of the model's data can serve as the key.
class ShapeTable {
public:
    explicit ShapeTable(bool hulls) : hulls_(hulls) {}

    /// The shape for one more object of this model.
    ObjectShape* acquire(const Model& model);
    /// Deletes the shape if no other object uses it.
    void release(ObjectShape* shape);
    /// The shape after a refit of its object's model. The refit was in place if the data stayed where it was.
    ObjectShape* refitted(ObjectShape* shape, const Model& model);

    std::size_t bytes() const;

private:
    bool hulls_;
    std::unordered_map<const ModelData*, std::unique_ptr<ObjectShape>> shapes_;
};

}  // namespace graze::detail
