// SPDX-License-Identifier: Apache-2.0
#include "assembly_wire.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace graze::files {

namespace {

constexpr std::uint64_t most = 0xffffffff;

struct Sender {
    const Put& put;

    template <class T>
    bool one(const T& value) const {
        static_assert(std::is_trivially_copyable_v<T>);
        return put(&value, sizeof value);
    }
    template <class Items>
    bool all(const Items& items) const {
        static_assert(std::is_trivially_copyable_v<typename Items::value_type>);
        return one(std::uint64_t{items.size()}) && put(items.data(), items.size() * sizeof(items[0]));
    }

    bool mesh(const Mesh& m) const {
        return all(m.points) && all(m.corners) && all(m.offsets) && all(m.name) && one(m.colour.has_value()) &&
               one(m.colour.value_or(Colour{})) && one(m.error) && one(m.curved) && all(m.faces);
    }
    bool labels(const PartLabels& l) const {
        return all(l.id) && all(l.type) && all(l.layer) && all(l.storey) && all(l.discipline);
    }
    bool part(const Part& p) const {
        return all(p.name) && all(p.path) && one(p.mesh) && one(p.world_from_mesh.linear()) &&
               one(p.world_from_mesh.translation()) && labels(p.labels) && one(p.extra_error);
    }
    bool assembly(const Assembly& a) const {
        bool good = one(std::uint64_t{a.meshes.size()});
        for (const Mesh& m : a.meshes) good = good && mesh(m);
        good = good && one(std::uint64_t{a.parts.size()});
        for (const Part& p : a.parts) good = good && part(p);
        good = good && one(std::uint64_t{a.unread.size()});
        for (const Unread& u : a.unread) good = good && all(u.path) && all(u.id) && all(u.reason);
        good = good && one(std::uint64_t{a.notes.size()});
        for (const std::string& note : a.notes) good = good && all(note);
        return good && all(a.conventions.format) && one(a.conventions.metres) && one(a.conventions.up) &&
               map(a.conventions.map);
    }
    bool map(const std::optional<MapConversion>& m) const {
        if (!one(m.has_value())) return false;
        return !m || (all(m->crs) && one(m->origin) && one(m->cosine) && one(m->sine) && one(m->scale));
    }
};

bool is_length(double x) { return x >= 0 && std::isfinite(x); }

bool is_good(const MapConversion& m) {
    for (int d = 0; d < 3; ++d)
        if (!(std::abs(m.origin[d]) <= max_coordinate)) return false;
    return std::abs(m.cosine * m.cosine + m.sine * m.sine - 1) < 1e-9 && m.scale > 0.5 && m.scale < 2;
}

bool is_good(const Mesh& m) {
    if (!is_length(m.error)) return false;
    for (const Vec3& p : m.points)
        for (int d = 0; d < 3; ++d)
            if (!(std::abs(p[d]) <= max_coordinate)) return false;
    for (const std::uint32_t c : m.corners)
        if (c >= m.points.size()) return false;
    for (const SimpleFace& face : m.faces)
        for (int d = 0; d < 3; ++d)
            if (!(std::abs(face.point[d]) <= max_coordinate && std::abs(face.direction[d]) <= 2 &&
                  std::abs(face.radius) <= max_coordinate))
                return false;
    if (m.offsets.empty()) return m.corners.size() % 3 == 0;
    if (m.offsets.front() != 0 || m.offsets.back() != m.corners.size()) return false;
    for (std::size_t i = 1; i < m.offsets.size(); ++i)
        if (m.offsets[i] < m.offsets[i - 1] || m.offsets[i] - m.offsets[i - 1] < 3) return false;
    return true;
}

struct Receiver {
    const Get& get;

    template <class T>
    bool one(T& value) const {
        static_assert(std::is_trivially_copyable_v<T>);
        return get(&value, sizeof value);
    }
    /// Reads a count, then that many items with `item`.
    template <class Item>
    bool each(const Item& item) const {
        std::uint64_t count = 0;
        if (!one(count) || count > most) return false;
        for (; count > 0; --count)
            if (!item()) return false;
        return true;
    }
    template <class Items>
    bool all(Items& items) const {
        constexpr std::uint64_t step = 1 << 16;
        std::uint64_t count = 0;
        if (!one(count) || count > most) return false;
        for (std::uint64_t have = 0; have < count; have = items.size()) {
            items.resize(std::min(count, have + std::max(have, step)));
            if (!get(items.data() + have, (items.size() - have) * sizeof(items[0]))) return false;
        }
        return true;
    }

    bool flag(bool& value) const {
        unsigned char byte = 0;
        if (!one(byte) || byte > 1) return false;
        value = byte != 0;
        return true;
    }
    bool mesh(Mesh& m) const {
        bool coloured = false;
        Colour colour{};
        if (!all(m.points) || !all(m.corners) || !all(m.offsets) || !all(m.name) || !flag(coloured) || !one(colour) ||
            !one(m.error) || !flag(m.curved) || !all(m.faces))
            return false;
        if (coloured) m.colour = colour;
        return is_good(m);
    }
    bool labels(PartLabels& l) const {
        return all(l.id) && all(l.type) && all(l.layer) && all(l.storey) && all(l.discipline);
    }
    bool part(Part& p) const {
        Mat3 linear;
        Vec3 translation;
        if (!all(p.name) || !all(p.path) || !one(p.mesh) || !one(linear) || !one(translation) || !labels(p.labels) ||
            !one(p.extra_error) || !is_length(p.extra_error))
            return false;
        const Result<Affine> place = Affine::from_matrix(linear, translation);
        if (place) p.world_from_mesh = *place;
        return place.ok();
    }
    bool assembly(Assembly& a) const {
        return each([&] { return mesh(a.meshes.emplace_back()); }) &&
               each([&] { return part(a.parts.emplace_back()) && a.parts.back().mesh < a.meshes.size(); }) && each([&] {
                   Unread& unread = a.unread.emplace_back();
                   return all(unread.path) && all(unread.id) && all(unread.reason);
               }) &&
               each([&] { return all(a.notes.emplace_back()); }) && all(a.conventions.format) &&
               one(a.conventions.metres) && one(a.conventions.up) && map(a.conventions.map);
    }
    bool map(std::optional<MapConversion>& m) const {
        bool stated = false;
        if (!flag(stated)) return false;
        if (!stated) return true;
        MapConversion& to = m.emplace();
        return all(to.crs) && one(to.origin) && one(to.cosine) && one(to.sine) && one(to.scale) && is_good(to);
    }
};

}  // namespace

bool send(const Result<Assembly>& read, const Put& put) {
    const Sender to{put};
    if (read) return to.one(true) && to.assembly(*read);
    return to.one(false) && to.one(read.fault().kind) && to.all(read.fault().message);
}

std::optional<Result<Assembly>> receive(const Get& get) {
    const Receiver from{get};
    bool good = false;
    if (!from.flag(good)) return std::nullopt;
    if (!good) {
        Fault fault{};
        if (!from.one(fault.kind) || !from.all(fault.message)) return std::nullopt;
        return fault;
    }
    Assembly out;
    if (!from.assembly(out)) return std::nullopt;
    return out;
}

}  // namespace graze::files
