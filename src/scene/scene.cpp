// SPDX-License-Identifier: Apache-2.0
#include "graze/scene.hpp"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "base/float_environment.hpp"
#include "model/any_view.hpp"
#include "scene/broad_phase.hpp"
#include "hull/closest_features_red.hpp"
#include "front/front.hpp"
#include "graze/front.hpp"
#include "graze/hull.hpp"
#include "model/model_data.hpp"
#include "front/motion.hpp"
#include "base/parallel.hpp"

namespace graze {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t block = 64;  ///< pairs that a thread takes at a time

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

double largest(const Mat3& m) {
    double most = 0;
    for (const Vec3& r : m.row) most = std::max({most, std::abs(r.x), std::abs(r.y), std::abs(r.z)});
    return most;
}

/// What objects of one model share.
struct Shape {
    detail::Lineage lineage;  ///< keeps its address from being used again
    detail::Obb box;          ///< around the model, in its own lengths
    Hull hull;                ///< empty when it is not asked for, or of a model that deforms: it costs too much to make
    bool red = false;         ///< nearly all faces of the hull are the model's: red features are worth a look
    bool empty = true;

    Shape(const Model& model, bool hulls) : lineage(model.data().lineage) {
        const detail::AnyView view(model.data());
        empty = view.empty();
        if (empty) return;
        box = view.volume(view.root());
        const double unit = std::ldexp(1, view.frame.exponent);
        box.centre = box.centre * unit + view.frame.centre;
        box.half = box.half * unit;
        if (!hulls || lineage.drift != 0) return;
        hull = Hull(model);
        std::uint32_t reds = 0;
        for (std::uint32_t i = 0; i < hull.face_count(); ++i) reds += hull.red({Feature::Kind::Face, i});
        red = 10 * std::uint64_t{reds} >= 9 * std::uint64_t{hull.face_count()};
    }
};

struct Object {
    ObjectSettings settings;
    Model model;
    std::shared_ptr<const Shape> shape;
    Affine placed, inverse;                   ///< world_from_object and back
    double slack = 0;                         ///< see `slack_of`
    std::array<std::uint32_t, 6> extremes{};  ///< vertices of the hull, see `placed_box`
    bool alive = false;
    bool stale = false;   ///< its box is not that of its placement
    bool listed = false;  ///< the broad phase knows its slot
};

/// What every pair asks of an object, apart from the rest: pairs go to objects all over memory.
struct State {
    std::uint32_t generation = 0;
    std::uint32_t version = 0;  ///< of model, placement and settings
    std::uint32_t shape = 0;    ///< of the model
    std::uint32_t layers = 0, mask = 0;
    double odometer = 0;  ///< how far any point has gone in the world, summed up; rounding of queries included
    double size = 0;      ///< in the world
};

struct Pair {
    ObjectPair id;
    std::uint32_t version[2] = {0, 0}, shape[2] = {0, 0};  ///< of the objects when it was decided
    std::uint32_t layers[2] = {0, 0};                      ///< of the objects, also when they are gone
    bool touched = false, touches = false;                 ///< at the last update, and at this one
    std::uint8_t calm = 0;                                 ///< small motions in a row
    double odometer = 0;                                   ///< of both, when it was decided
    double due = -1;                                       ///< apart until the odometers sum up to this
    FeaturePair features;                                  ///< where the hulls were closest
    std::optional<TrianglePair> witness;                   ///< that met
    std::unique_ptr<Front> front;

    detail::SlotPair slots() const { return {id.a.slot, id.b.slot}; }
};

/// Scratch memory for as many threads as ask at once.
class Pool {
public:
    std::unique_ptr<Scratch> take() {
        const std::lock_guard lock(mutex_);
        if (free_.empty()) return std::make_unique<Scratch>();
        auto last = std::move(free_.back());
        free_.pop_back();
        return last;
    }
    void give(std::unique_ptr<Scratch> scratch) {
        const std::lock_guard lock(mutex_);
        free_.push_back(std::move(scratch));
    }

private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<Scratch>> free_;
};

}  // namespace

struct Scene::Impl {
    SceneSettings settings;
    std::vector<Object> objects;
    std::vector<State> states;  ///< of the objects
    std::vector<std::uint32_t> free, stale;
    std::size_t count = 0;
    std::unordered_map<const char*, std::weak_ptr<const Shape>> shapes;  ///< by the model's lineage
    std::map<ObjectPair, std::string> ignored;
    std::unique_ptr<detail::BroadPhase> broad;
    std::vector<Pair> pairs, next;
    std::vector<Pair*> asked;  ///< pairs to decide
    Touching touching;
    SceneStats stats;
    Pool pool;
    struct Row {
        std::uint32_t a, b;
        Response response;
    };
    std::vector<Row> responses;
    struct Change {
        ObjectPair id;
        Touch touch;
        std::uint32_t layers[2];
    };
    std::vector<Change> changes;  ///< all pairs of `touching`

    const Object* find(ObjectId id) const {
        if (id.slot >= objects.size()) return nullptr;
        const Object& o = objects[id.slot];
        return o.alive && states[id.slot].generation == id.generation ? &o : nullptr;
    }
    Object* find(ObjectId id) { return const_cast<Object*>(std::as_const(*this).find(id)); }

    void touch(std::uint32_t slot) {
        Object& o = objects[slot];
        ++states[slot].version;
        if (!o.stale) stale.push_back(slot);
        o.stale = true;
    }
    /// After another model.
    void reshape(std::uint32_t slot);
    /// After a motion.
    void went(std::uint32_t slot, const Affine& before);
    std::shared_ptr<const Shape> shape_of(const Model& model);
    Result<Done> place(Object& object, ObjectId id, const Affine& world_from_object);
    detail::WorldBox box_of(Object& object) const;
    bool wanted(const detail::SlotPair& pair) const;
    void match(const std::vector<detail::SlotPair>& candidates);
    void decide();
    void decide(Pair** begin, Pair** end, Scratch& scratch, SceneStats& counted) const;
    bool meets(Pair& pair, const Affine& a_from_b, Scratch& scratch) const;
    void prefetch(const Pair& pair) const;
    void ended(const Pair& pair) { changes.push_back({pair.id, Touch::Ended, {pair.layers[0], pair.layers[1]}}); }
    void tell();
};

std::shared_ptr<const Shape> Scene::Impl::shape_of(const Model& model) {
    const detail::Lineage& lineage = model.data().lineage;
    std::weak_ptr<const Shape>& known = shapes[lineage.tree.get()];
    auto shape = known.lock();
    if (!shape || shape->lineage.drift != lineage.drift)
        known = shape = std::make_shared<const Shape>(model, settings.hulls);
    return shape;
}

Result<Done> Scene::Impl::place(Object& object, ObjectId id, const Affine& world_from_object) {
    const auto at = [&] { return "object " + std::to_string(id.slot) + ": "; };
    const Vec3& t = world_from_object.translation();
    constexpr double most = 0x1p900;
    if (!(std::max({std::abs(t.x), std::abs(t.y), std::abs(t.z)}) <= most))
        return Fault{FaultKind::OutOfRange, at() + "the translation is beyond 2^900"};
    const auto back = inverse(world_from_object);
    if (!back) return Fault{back.fault().kind, at() + back.fault().message};
    if (!(largest(world_from_object.linear()) <= max_scale && largest(back->linear()) <= max_scale))
        return Fault{FaultKind::OutOfRange, at() + "the matrix or its inverse has entries beyond 2^9"};
    object.placed = world_from_object;
    object.inverse = *back;
    return Done{};
}

/// How far queries may see the object's points, in the world, from where they are. With entries up to 2^9 both ways,
/// computing a relative placement and mapping points by it moves them by less than 2^-53 · 2^18 · 2^3 of all lengths
/// involved: those of this object's half of a pair are covered by 2^-30.
double slack_of(const Shape& shape, const Affine& placed) {
    const double reach = length(shape.box.centre) + length(shape.box.half);
    return 0x1p-30 * (3 * largest(placed.linear()) * reach + length(placed.translation())) + 0x1p-1000;
}

void Scene::Impl::reshape(std::uint32_t slot) {
    Object& o = objects[slot];
    State& state = states[slot];
    ++state.shape;
    state.layers = o.settings.layers;
    state.mask = o.settings.mask;
    o.slack = slack_of(*o.shape, o.placed);
    state.size = 2 * o.shape->box.half.x * largest(o.placed.linear());
    touch(slot);
}

/// Queries see the points where they are but for the slack, before and after.
void Scene::Impl::went(std::uint32_t slot, const Affine& before) {
    Object& o = objects[slot];
    const detail::Obb& box = o.shape->box;
    o.slack = slack_of(*o.shape, o.placed);
    const double way = detail::motion_bound(before, o.placed, box.centre, length(box.half) * (1 + 0x1p-40));
    double& odometer = states[slot].odometer;
    odometer = std::nextafter(odometer + (way + 2 * o.slack), std::numeric_limits<double>::infinity());
    touch(slot);
}

/// Holds the object as any query with a relative placement sees it.
detail::WorldBox Scene::Impl::box_of(Object& object) const {
    const detail::Obb& box = object.shape->box;
    const Mat3& m = object.placed.linear();
    Vec3 low, high;
    if (settings.boxes == Boxes::Dynamic && object.shape->hull.dimension() >= 0) {
        const Box placed = placed_box(object.shape->hull, object.placed, object.extremes);
        low = placed.lo;
        high = placed.hi;
    } else {
        Vec3 half;
        if (settings.boxes == Boxes::Fixed) {
            const double radius = detail::spectral_bound(m) * length(box.half);
            half = {radius, radius, radius};
        } else {
            const Mat3 axes = m * transpose(box.axes);
            for (int i = 0; i < 3; ++i)
                half[i] = std::abs(axes.row[i].x) * box.half.x + std::abs(axes.row[i].y) * box.half.y +
                          std::abs(axes.row[i].z) * box.half.z;
        }
        const Vec3 centre = object.placed(box.centre);
        low = centre - half;
        high = centre + half;
    }
    constexpr float infinity = std::numeric_limits<float>::infinity();
    detail::WorldBox out;
    for (int i = 0; i < 3; ++i) {
        out.low[i] = std::nextafter(static_cast<float>(low[i] - object.slack), -infinity);
        out.high[i] = std::nextafter(static_cast<float>(high[i] + object.slack), infinity);
    }
    return out;
}

bool Scene::Impl::wanted(const detail::SlotPair& pair) const {
    const State &a = states[pair.a], &b = states[pair.b];
    if (!(a.layers & b.mask) || !(b.layers & a.mask)) return false;
    return ignored.empty() || !ignored.contains({{pair.a, a.generation}, {pair.b, b.generation}});
}

/// Makes `next` of the candidates, taking over what is known of pairs that were there, and lists those that have ended
/// because they are none any more.
void Scene::Impl::match(const std::vector<detail::SlotPair>& candidates) {
    next.clear();
    std::size_t old = 0;
    const auto leave = [&](const Pair& p) {
        if (p.touches) ended(p);
    };
    for (const detail::SlotPair& c : candidates) {
        while (old < pairs.size() && pairs[old].slots() < c) leave(pairs[old++]);
        const ObjectPair id{{c.a, states[c.a].generation}, {c.b, states[c.b].generation}};
        const bool known = old < pairs.size() && pairs[old].slots() == c;
        if (known && pairs[old].id != id) leave(pairs[old]);
        if (wanted(c)) {
            if (known && pairs[old].id == id) {
                next.push_back(std::move(pairs[old]));
            } else {
                next.emplace_back().id = id;
            }
        } else if (known && pairs[old].id == id) {
            leave(pairs[old]);
        }
        old += known;
    }
    while (old < pairs.size()) leave(pairs[old++]);
    pairs.swap(next);
}

void Scene::Impl::prefetch(const Pair& pair) const {
    for (const std::uint32_t slot : {pair.id.a.slot, pair.id.b.slot}) {
        const auto* at = reinterpret_cast<const char*>(&objects[slot]);
        for (std::size_t i = 0; i < sizeof(Object); i += 64) __builtin_prefetch(at + i);
    }
}

/// Pairs go through each stage together, so that a stage's time is two looks at the clock.
void Scene::Impl::decide(Pair** begin, Pair** end, Scratch& scratch, SceneStats& counted) const {
    std::array<Affine, block> placements;
    std::array<Pair*, block> left;
    std::size_t n = 0;
    auto start = Clock::now();
    for (Pair** p = begin; p != end; ++p) {
        if (p + 12 < end) __builtin_prefetch(p[12]);
        if (p + 6 < end) prefetch(*p[6]);
        Pair& pair = **p;
        const Object &a = objects[pair.id.a.slot], &b = objects[pair.id.b.slot];
        const auto a_from_b = compose(a.inverse, b.placed);
        assert(a_from_b);
        pair.touches = false;
        if (settings.hulls && a.shape->hull.dimension() >= 0 && b.shape->hull.dimension() >= 0) {
            ++counted.hulls.in;
            const Closest closest = closest_features(a.shape->hull, b.shape->hull, *a_from_b, &pair.features);
            if (closest.separation > 0) {
                // In the world they are no nearer than that over the norm of A's inverse.
                const double gap = closest.separation / detail::spectral_bound(a.inverse.linear());
                pair.due = pair.odometer + gap * (1 - 0x1p-20) - 2 * (a.slack + b.slack) - 0x1p-50 * pair.odometer;
                continue;
            }
            ++counted.hulls.out;
            if (!pair.witness && a.shape->red && b.shape->red) {
                pair.witness =
                    detail::red_overlap(a.shape->hull, a.model, b.shape->hull, b.model, *a_from_b, pair.features);
                pair.touches = pair.witness.has_value();
                counted.red += pair.touches;
                if (pair.touches) continue;
            }
        }
        placements[n] = *a_from_b;
        left[n++] = &pair;
    }
    counted.hulls.seconds = seconds_since(start);
    start = Clock::now();
    for (std::size_t i = 0; i < n; ++i) {
        left[i]->touches = meets(*left[i], placements[i], scratch);
        counted.trees.out += left[i]->touches;
    }
    counted.trees.in = n;
    counted.trees.seconds = seconds_since(start);
}

/// The exact stage. A pair that moves little has a front; for others, whose fronts would be filled in vain, the
/// triangles that met last are tried first all the same.
bool Scene::Impl::meets(Pair& pair, const Affine& a_from_b, Scratch& scratch) const {
    const Object &a = objects[pair.id.a.slot], &b = objects[pair.id.b.slot];
    constexpr std::uint8_t calm = 3;
    if (settings.fronts && pair.calm >= calm) {
        if (!pair.front) pair.front = std::make_unique<Front>(FrontSettings{.bytes = std::size_t{1} << 18});
        return intersects(a.model, b.model, a_from_b, {.scratch = &scratch, .front = pair.front.get()});
    }
    pair.front.reset();
    QueryStats unused;
    detail::Search search{a.model.data(), b.model.data(), a_from_b, {}, true, 0};
    if (pair.witness && detail::still_meets(search, *pair.witness, unused)) return true;
    pair.witness.reset();
    search.sink = {nullptr,
                   [](void* witness, const Contact& contact) {
                       *static_cast<std::optional<TrianglePair>*>(witness) = contact.triangles;
                       return Step::Stop;
                   },
                   &pair.witness};
    detail::run(search, scratch.impl(), unused);
    return pair.witness.has_value();
}

/// Decides the pairs of which an object has moved.
void Scene::Impl::decide() {
    asked.clear();
    for (Pair& p : pairs) {
        const State &a = states[p.id.a.slot], &b = states[p.id.b.slot];
        p.touched = p.touches;
        p.layers[0] = a.layers;
        p.layers[1] = b.layers;
        if (p.version[0] == a.version && p.version[1] == b.version) {
            ++stats.unmoved;
            continue;
        }
        p.version[0] = a.version;
        p.version[1] = b.version;
        if (p.shape[0] != a.shape || p.shape[1] != b.shape) {
            p = Pair{.id = p.id,
                     .version = {a.version, b.version},
                     .shape = {a.shape, b.shape},
                     .layers = {a.layers, b.layers},
                     .touched = p.touched,
                     .touches = p.touches};
        }
        const double odometer = a.odometer + b.odometer;
        if (odometer < p.due) {
            ++stats.kept;
            continue;
        }
        // Little, by the smaller object's size.
        const double motion = odometer - p.odometer;
        p.calm = motion < 0.01 * std::min(a.size, b.size) ? static_cast<std::uint8_t>(std::min(p.calm + 1, 100)) : 0;
        p.odometer = odometer;
        asked.push_back(&p);
    }
    std::vector<SceneStats> counted((asked.size() + block - 1) / block);
    detail::parallel_for(counted.size(), settings.threads, [&](std::size_t i) {
        auto scratch = pool.take();
        Pair** const begin = asked.data() + i * block;
        decide(begin, asked.data() + std::min(asked.size(), (i + 1) * block), *scratch, counted[i]);
        pool.give(std::move(scratch));
    });
    for (const SceneStats& c : counted) stats += c;
}

void Scene::Impl::tell() {
    for (const Pair& p : pairs) {
        if (p.touches)
            changes.push_back({p.id, p.touched ? Touch::Persists : Touch::Began, {p.layers[0], p.layers[1]}});
        else if (p.touched)
            ended(p);
    }
    std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.id < b.id; });
    std::vector<ObjectPair>* const lists[] = {&touching.begun, &touching.persisting, &touching.ended};
    for (auto* list : lists) list->clear();
    for (const Change& c : changes) lists[static_cast<int>(c.touch)]->push_back(c.id);
    for (const Change& c : changes)
        for (std::size_t i = 0; i < responses.size(); ++i) {  // a response may add to them
            const auto [a, b] = std::pair(responses[i].a, responses[i].b);
            if ((c.layers[0] & a && c.layers[1] & b) || (c.layers[0] & b && c.layers[1] & a)) {
                const Response response = responses[i].response;
                response(c.id, c.touch);
            }
        }
}

Scene::Scene(const SceneSettings& settings) : impl_(std::make_unique<Impl>()) {
    impl_->settings = settings;
    impl_->broad = detail::make_broad_phase(settings.broad);
}
Scene::~Scene() = default;
Scene::Scene(Scene&&) noexcept = default;
Scene& Scene::operator=(Scene&&) noexcept = default;

namespace {

Fault no_such(ObjectId id) {
    return {FaultKind::BadObject,
            "scene: there is no object " + std::to_string(id.slot) + " of generation " + std::to_string(id.generation)};
}

}  // namespace

Result<ObjectId> Scene::add(const Model& model, const Affine& world_from_object, const ObjectSettings& settings) {
    const detail::DefaultFloats floats;
    Impl& s = *impl_;
    const bool again = !s.free.empty();
    const auto slot = again ? s.free.back() : static_cast<std::uint32_t>(s.objects.size());
    Object fresh;
    const ObjectId id{slot, again ? s.states[slot].generation + 1 : 0};
    const auto placed = s.place(fresh, id, world_from_object);
    if (!placed) return placed.fault();
    fresh.settings = settings;
    fresh.model = model;
    fresh.shape = s.shape_of(model);
    fresh.alive = true;
    if (again) {
        s.free.pop_back();
        fresh.stale = s.objects[slot].stale;
        fresh.listed = s.objects[slot].listed;
        s.objects[slot] = std::move(fresh);
    } else {
        s.objects.push_back(std::move(fresh));
        s.states.emplace_back();
    }
    s.states[slot].generation = id.generation;
    s.reshape(slot);
    ++s.count;
    return id;
}

Result<Done> Scene::move(ObjectId object, const Affine& world_from_object) {
    const detail::DefaultFloats floats;
    Object* const o = impl_->find(object);
    if (!o) return no_such(object);
    const Affine before = o->placed;
    if (before == world_from_object) return Done{};
    const auto placed = impl_->place(*o, object, world_from_object);
    if (placed) impl_->went(object.slot, before);
    return placed;
}

Result<Done> Scene::move(ObjectId object, const std::array<double, 12>& world_from_object) {
    const detail::DefaultFloats floats;
    if (!impl_->find(object)) return no_such(object);
    const auto placement = Affine::from_rows(world_from_object);
    if (!placement)
        return Fault{placement.fault().kind,
                     "object " + std::to_string(object.slot) + ": " + placement.fault().message};
    return move(object, *placement);
}

Result<Done> Scene::replace(ObjectId object, const Model& model) {
    const detail::DefaultFloats floats;
    Object* const o = impl_->find(object);
    if (!o) return no_such(object);
    o->model = model;
    o->shape = impl_->shape_of(model);
    impl_->reshape(object.slot);
    return Done{};
}

Result<Done> Scene::set(ObjectId object, const ObjectSettings& settings) {
    Object* const o = impl_->find(object);
    if (!o) return no_such(object);
    o->settings = settings;
    impl_->states[object.slot].layers = settings.layers;
    impl_->states[object.slot].mask = settings.mask;
    impl_->touch(object.slot);
    return Done{};
}

Result<Done> Scene::remove(ObjectId object) {
    Impl& s = *impl_;
    Object* const o = s.find(object);
    if (!o) return no_such(object);
    std::erase_if(s.ignored, [&](const auto& row) { return row.first.a == object || row.first.b == object; });
    o->alive = false;
    o->model = {};
    o->shape.reset();
    s.touch(object.slot);
    s.free.push_back(object.slot);
    --s.count;
    return Done{};
}

namespace {

ObjectPair ordered(ObjectId a, ObjectId b) { return a < b ? ObjectPair{a, b} : ObjectPair{b, a}; }

}  // namespace

Result<Done> Scene::ignore(ObjectId a, ObjectId b, std::string reason) {
    if (!contains(a)) return no_such(a);
    if (!contains(b)) return no_such(b);
    impl_->ignored[ordered(a, b)] = std::move(reason);
    return Done{};
}

Result<Done> Scene::attend(ObjectId a, ObjectId b) {
    if (!contains(a)) return no_such(a);
    if (!contains(b)) return no_such(b);
    impl_->ignored.erase(ordered(a, b));
    return Done{};
}

const std::string* Scene::ignored(ObjectId a, ObjectId b) const {
    const auto found = impl_->ignored.find(ordered(a, b));
    return found == impl_->ignored.end() ? nullptr : &found->second;
}

bool Scene::contains(ObjectId object) const { return impl_->find(object) != nullptr; }
std::size_t Scene::size() const { return impl_->count; }

Result<ObjectSettings> Scene::settings(ObjectId object) const {
    const Object* const o = std::as_const(*impl_).find(object);
    if (!o) return no_such(object);
    return o->settings;
}
Result<Affine> Scene::placement(ObjectId object) const {
    const Object* const o = std::as_const(*impl_).find(object);
    if (!o) return no_such(object);
    return o->placed;
}
Result<Model> Scene::model(ObjectId object) const {
    const Object* const o = std::as_const(*impl_).find(object);
    if (!o) return no_such(object);
    return o->model;
}

const Touching& Scene::update() {
    const detail::DefaultFloats floats;
    Impl& s = *impl_;
    s.stats = {};
    s.changes.clear();

    const auto start = Clock::now();
    s.stats.broad.in = s.stale.size();
    for (const std::uint32_t slot : s.stale) {
        Object& o = s.objects[slot];
        o.stale = false;
        const bool list = o.alive && !o.shape->empty;
        if (list)
            s.broad->set(slot, s.box_of(o), o.settings.moving);
        else if (o.listed)
            s.broad->remove(slot);
        o.listed = list;
    }
    s.stale.clear();
    const std::vector<detail::SlotPair>& candidates = s.broad->update(s.settings.threads);
    s.stats.broad.out = candidates.size();
    s.match(candidates);
    s.stats.broad.seconds = seconds_since(start);

    s.decide();
    s.tell();
    return s.touching;
}

const SceneStats& Scene::stats() const { return impl_->stats; }

std::size_t Scene::bytes() const {
    const Impl& s = *impl_;
    std::size_t sum = sizeof(Impl) + s.objects.capacity() * (sizeof(Object) + sizeof(State)) +
                      (s.pairs.capacity() + s.next.capacity()) * sizeof(Pair) + s.asked.capacity() * sizeof(Pair*) +
                      s.changes.capacity() * sizeof(Impl::Change) + s.broad->bytes();
    for (const Pair& p : s.pairs)
        if (p.front) sum += sizeof(Front) + p.front->bytes();
    return sum;
}

Result<std::vector<Contact>> Scene::contacts(ObjectId a, ObjectId b) {
    const Object *const oa = impl_->find(a), *const ob = impl_->find(b);
    if (!oa) return no_such(a);
    if (!ob) return no_such(b);
    // As an update asks: the lower slot is A.
    const bool swap = b < a;
    const Object &first = swap ? *ob : *oa, &second = swap ? *oa : *ob;
    auto scratch = impl_->pool.take();
    auto found = collide(first.model, second.model, *compose(first.inverse, second.placed), {.scratch = scratch.get()});
    impl_->pool.give(std::move(scratch));
    if (swap)
        for (Contact& c : found) c = {{c.triangles.b, c.triangles.a}, {c.polygons.b, c.polygons.a}};
    return found;
}

void Scene::respond(std::uint32_t a, std::uint32_t b, Response response) {
    impl_->responses.push_back({a, b, std::move(response)});
}

}  // namespace graze
