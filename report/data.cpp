// SPDX-License-Identifier: Apache-2.0
#include "data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <unordered_map>

#include "base/parallel.hpp"
#include "checks/contacts.hpp"
#include "clearance_maps.hpp"
#include "contact_shape.hpp"
#include "graze/tree.hpp"
#include "json_text.hpp"
#include "shape.hpp"

namespace graze::report {

namespace {

/// Maps points from the units of an extent to the units of the scene, in double.
struct Display {
    Mat3 linear;
    Vec3 offset;

    Vec3 operator()(const Vec3& q) const { return linear * q + offset; }
};

/// Writes the data of a page: a JSON element, and an element for each buffer of words. The page (web/src/data.js)
/// reads them back. Ranges are [first, count] in items of the buffer.
class DataWriter : JsonText {
public:
    DataWriter(const Document& document, const Limits& limits) : d_(document), limits_(limits), maps_(document) {}

    void run(const Sink& to) {
        extents_.resize(d_.meshes.size());
        detail::parallel_for(d_.meshes.size(), limits_.threads,
                             [&](std::size_t i) { extents_[i] = Extent::around(d_.meshes[i].points()); });
        find_scene();
        json_ = "{\"title\":";
        files::append_json(json_, d_.title);
        json_ += ",\"units\":";
        files::append_json(json_, d_.units);
        const Vec3 half = {scene_.half.x / scene_.size, scene_.half.y / scene_.size, scene_.half.z / scene_.size};
        add("\"scene\":{{\"centre\":{},\"size\":{},\"half\":{}}}", numbers(scene_.centre), number(scene_.size),
            numbers(half));
        add("\"up\":{}", numbers(d_.up));
        if (d_.all_parts > 0) add("\"all_parts\":{}", d_.all_parts);
        if (maps_.any()) add("\"clearance\":{}", number(maps_.reach()));
        meshes();
        parts();
        clashes();
        frames();
        json_ += ",\"figures\":[";
        list(d_.figures, [&](const auto& figure) {
            json_ += '[';
            files::append_json(json_, figure.first);
            json_ += ',';
            files::append_json(json_, figure.second);
            json_ += ']';
        });
        json_ += "]}";
        elements(to);
    }

private:
    /// Finds a box around all parts at all frames.
    void find_scene() {
        Bounds bounds;
        const auto include = [&](std::uint32_t part, const Affine& placement) {
            assert(d_.parts[part].mesh < d_.meshes.size());
            if (d_.meshes[d_.parts[part].mesh].point_count() == 0) return;
            const Extent& e = extents_[d_.parts[part].mesh];
            Vec3 reach;
            for (int k = 0; k < 3; ++k) {
                const Vec3& row = placement.linear().row[k];
                reach[k] = std::abs(row.x) * e.half.x + std::abs(row.y) * e.half.y + std::abs(row.z) * e.half.z;
            }
            bounds.add(placement(e.centre) - reach);
            bounds.add(placement(e.centre) + reach);
        };
        for (std::uint32_t i = 0; i < d_.parts.size(); ++i) include(i, d_.parts[i].placement);
        for (const Frame& f : d_.frames) {
            assert(f.placements.size() == d_.moving.size());
            for (std::size_t i = 0; i < d_.moving.size(); ++i) include(d_.moving[i], f.placements[i]);
        }
        scene_ = Extent::of(bounds);
    }

    Display display(std::uint32_t part, const Affine& placement) const {
        const Extent& e = extents_[d_.parts[part].mesh];
        Display to{placement.linear(), scene_.unit(placement(e.centre))};
        // The product comes first: the quotient of the two sizes may be out of range where the result is not.
        for (Vec3& row : to.linear.row)
            for (int k = 0; k < 3; ++k) row[k] = row[k] * e.size / scene_.size;
        return to;
    }

    /// Appends twelve floats by columns, the order of matrices in three.js.
    static void append(std::vector<float>& to, const Mat3& linear, const Vec3& offset) {
        for (const Vec3& column : {linear.column(0), linear.column(1), linear.column(2), offset}) append(to, column);
    }
    static void append(std::vector<float>& to, const Vec3& v) {
        to.insert(to.end(), {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)});
    }

    void meshes() {
        std::vector<Share> shares(d_.meshes.size());
        std::size_t all = 0, shown = 0;
        std::vector<std::vector<std::uint32_t>> users(d_.meshes.size());
        for (std::uint32_t i = 0; i < d_.parts.size(); ++i) {
            const Part& p = d_.parts[i];
            users[p.mesh].push_back(i);
            shares[p.mesh].weight += shares[p.mesh].count != 0;
            shares[p.mesh].count = d_.meshes[p.mesh].triangle_count();
            all += shares[p.mesh].count;
        }
        const std::size_t most = fair_share(shares, limits_.triangles);
        std::vector<Shape> shapes(d_.meshes.size());
        detail::parallel_for(shapes.size(), limits_.threads,
                             [&](std::size_t i) { shapes[i] = shape_of(d_.meshes[i], extents_[i], most); });
        json_ += ",\"meshes\":[";
        std::size_t points = 0, corners = 0;
        for (const Shape& s : shapes) {
            points += s.points.size();
            corners += s.corners.size();
        }
        points_.reserve(points);
        corners_.reserve(corners);
        std::size_t mesh = 0;
        list(shapes, [&](Shape& shape) {
            raw("[{},{},{},{}]", points_.size() / 3, shape.points.size() / 3, corners_.size() / 3,
                shape.triangle_count());
            points_.insert(points_.end(), shape.points.begin(), shape.points.end());
            // Each corner is stored as the difference from the one before, which compresses better.
            std::uint32_t last = 0;
            for (const std::uint32_t c : shape.corners) corners_.push_back(c - std::exchange(last, c));
            if (shares[mesh].count != 0) shown += shape.triangle_count() * shares[mesh].weight;
            for (const std::uint32_t part : users[mesh]) maps_.add(part, shape);
            shape = {};
            ++mesh;
        });
        json_ += ']';
        add("\"triangles\":{},\"shown\":{}", all, shown);
    }

    void parts() {
        json_ += ",\"parts\":[";
        std::uint32_t i = 0;
        list(d_.parts, [&](const Part& part) {
            json_ += "{\"name\":";
            files::append_json(json_, part.name);
            json_ += ",\"group\":";
            files::append_json(json_, part.group);
            add("\"mesh\":{}", part.mesh);
            add_text("id", part.labels.id);
            add_text("type", part.labels.type);
            add_text("layer", part.labels.layer);
            add_text("storey", part.labels.storey);
            add_text("discipline", part.labels.discipline);
            if (part.tree) tree(part);
            if (const auto first = maps_.first(i)) add("\"map\":{}", *first);
            json_ += '}';
            const Display to = display(i++, part.placement);
            append(places_, to.linear, to.offset);
        });
        json_ += ']';
    }

    /// Writes the tree's boxes level by level. A level includes the leaves above it, so that it covers all triangles.
    void tree(const Part& part) {
        const Model& model = d_.meshes[part.mesh];
        const Extent& e = extents_[part.mesh];
        add("\"tree\":{{\"first\":{},\"levels\":[", boxes_.size() / 12);
        const unsigned depth = tree_depth(model);
        for (unsigned level = 0; level < depth; ++level) {
            const std::vector<OrientedBox> boxes = node_boxes(model, level);
            if (boxes.size() > limits_.boxes) break;
            raw("{}{}", level == 0 ? "" : ",", boxes.size());
            for (const OrientedBox& box : boxes) {
                Mat3 edges = box.axes;
                for (int k = 0; k < 3; ++k) edges.row[k] = edges.row[k] * (box.half[k] / e.size);
                append(boxes_, transpose(edges), e.unit(box.centre));
            }
        }
        raw("],\"depth\":{}}}", depth);
    }

    /// The index of a triangle among those that are drawn exactly. Adds it if it is not there yet.
    std::uint32_t exact(std::uint32_t mesh, std::uint32_t triangle) {
        const auto [at, fresh] =
            numbers_.try_emplace(std::uint64_t{mesh} << 32 | triangle, static_cast<std::uint32_t>(exact_ids_.size()));
        if (fresh) {
            assert(triangle < d_.meshes[mesh].triangle_count());
            const Triangle t = d_.meshes[mesh].triangle(triangle);
            for (const Vec3& p : {t.a, t.b, t.c}) append(exact_, extents_[mesh].unit(p));
            exact_ids_.push_back(triangle);
        }
        return at->second;
    }

    /// Writes [a, b, kind, contacts, first pair, pairs, first segment, segments, first area, areas, first dot, dots],
    /// and for the shortest line [… distance, its two ends in the units of the scene]. Returns a box around what is
    /// drawn.
    template <class Place>
    Bounds hit(const Hit& h, std::size_t most, Place&& place) {
        const std::size_t pairs = pairs_.size() / 2, segments = shape_.segments.size() / 6, areas = shape_.areas.size(),
                          dots = shape_.dots.size() / 3, drawn = std::min(h.pairs.size(), most);
        Bounds where;
        if (drawn != 0) {
            assert(h.a < d_.parts.size() && h.b < d_.parts.size());
            const std::uint32_t mesh_a = d_.parts[h.a].mesh, mesh_b = d_.parts[h.b].mesh;
            const Affine world_from_a = place(h.a), world_from_b = place(h.b);
            const Display of_a = display(h.a, world_from_a), of_b = display(h.b, world_from_b);
            // Queries run in A's frame, where the pairs certainly meet.
            const Result<Affine> a_from_b = relative(world_from_a, world_from_b);
            ContactDrawing drawing(shape_);
            for (std::size_t i = 0; i < drawn; ++i) {
                // When only some contacts are drawn they are spread over all of them.
                const TrianglePair& pair = h.pairs[i * h.pairs.size() / drawn];
                pairs_.insert(pairs_.end(), {exact(mesh_a, pair.a), exact(mesh_b, pair.b)});
                const Triangle s = placed(of_a, mesh_a, pair.a), t = placed(of_b, mesh_b, pair.b);
                // The page draws duplicates as whole triangles, which are what they have in common.
                if (h.kind == Kind::Duplicate) {
                    drawing.include(s, t);
                    continue;
                }
                Intersection common;
                if (a_from_b)
                    common = intersection(d_.meshes[mesh_a].triangle(pair.a),
                                          checks::placed(*a_from_b, d_.meshes[mesh_b].triangle(pair.b)));
                for (int k = 0; k < common.count; ++k) common.points[k] = of_a(extents_[mesh_a].unit(common.points[k]));
                drawing.add(s, t, common);
            }
            where = drawing.finish();
        }
        const auto index = [](std::uint32_t part) { return part == no_part ? -1 : std::int64_t{part}; };
        raw("[{},{},\"{}\",{},{},{},{},{},{},{},{},{}", index(h.a), index(h.b), name(h.kind), h.contacts, pairs, drawn,
            segments, shape_.segments.size() / 6 - segments, areas, shape_.areas.size() - areas, dots,
            shape_.dots.size() / 3 - dots);
        if (h.closest && std::isfinite(h.closest->distance)) {
            const Vec3 from = scene_.unit(h.closest->point_a), to = scene_.unit(h.closest->point_b);
            add("{}", number(h.closest->distance));
            for (const Vec3& end : {from, to}) add("{},{},{}", single(end.x), single(end.y), single(end.z));
            if (where.empty()) {
                where.add(from);
                where.add(to);
            }
        }
        json_ += ']';
        return where;
    }

    /// A number that is drawn, for which float32 is enough.
    static std::string single(double x) { return number(static_cast<float>(x)); }

    /// A triangle of a mesh in the units of the scene.
    Triangle placed(const Display& to, std::uint32_t mesh, std::uint32_t i) const {
        const Triangle t = d_.meshes[mesh].triangle(i);
        const Extent& e = extents_[mesh];
        return {to(e.unit(t.a)), to(e.unit(t.b)), to(e.unit(t.c))};
    }

    /// The placement of a part at a frame; its initial one without a frame.
    const Affine& at_frame(std::uint32_t part, std::optional<std::uint32_t> frame) const {
        const auto moved = moving_.find(part);
        if (!frame || moved == moving_.end()) return d_.parts[part].placement;
        assert(*frame < d_.frames.size());
        return d_.frames[*frame].placements[moved->second];
    }

    void clashes() {
        for (std::size_t i = 0; i < d_.moving.size(); ++i) moving_[d_.moving[i]] = i;
        // However many harmless entries there are, they leave the clashes their room.
        std::vector<Share> shares, harmless;
        for (const Clash& c : d_.clashes) (c.harmless ? harmless : shares).push_back({c.hit.pairs.size()});
        for (const Frame& f : d_.frames)
            for (const Hit& h : f.hits) shares.push_back({h.pairs.size()});
        most_pairs_ = fair_share(shares, limits_.pairs);
        const std::size_t most_harmless = fair_share(harmless, limits_.pairs / 4);

        json_ += ",\"clashes\":[";
        list(d_.clashes, [&](const Clash& c) {
            json_ += "{\"hit\":";
            const Bounds where = hit(c.hit, c.harmless ? most_harmless : most_pairs_,
                                     [&](std::uint32_t part) { return at_frame(part, c.frame); });
            if (!where.empty()) {
                const Vec3 middle = where.centre(), world = scene_.world(middle);
                add("\"at\":{}", numbers(world));
                add("\"ball\":[{},{},{},{}]", single(middle.x), single(middle.y), single(middle.z),
                    single(length(where.hi - middle)));
            } else if (c.at) {
                add("\"at\":{}", numbers(*c.at));
            }
            if (c.hit.a == no_part) files::append_json(json_ += ",\"a\":", c.gone_a);
            if (c.hit.b == no_part) files::append_json(json_ += ",\"b\":", c.gone_b);
            if (c.state != State::None) add("\"state\":\"{}\"", name(c.state));
            add_text("note", c.note);
            if (c.frame) add("\"frame\":{}", *c.frame);
            review_of(c);
            json_ += '}';
        });
        json_ += "],\"causes\":{";
        std::map<std::uint32_t, const std::string*> causes;
        for (const Clash& c : d_.clashes)
            if (!c.cause_name.empty()) causes.try_emplace(c.cause, &c.cause_name);
        list(causes, [&](const auto& cause) {
            raw("\"{}\":", cause.first);
            files::append_json(json_, *cause.second);
        });
        json_ += '}';
    }

    /// Writes what a clash is sorted, grouped and reviewed by.
    void review_of(const Clash& c) {
        add_text("id", c.id);
        add_number("extent", c.extent);
        if (c.depth) add("\"depth\":{}", number(*c.depth));
        if (c.volume) add("\"volume\":{}", number(*c.volume));
        if (c.translation) add("\"translation\":{}", numbers(*c.translation));
        if (c.thin) json_ += ",\"thin\":true";
        if (c.exact) add("\"exact\":\"{}\",\"band\":{}", name(*c.exact), number(c.band));
        if (c.harmless) json_ += ",\"harmless\":true";
        add_number("severity", c.severity);
        if (c.cause != 0) add("\"cause\":{}", c.cause);
        if (!c.more.empty()) {
            json_ += ",\"more\":[";
            list(c.more, [&](const auto& line) {
                files::append_json(json_ += '[', line.first);
                files::append_json(json_ += ',', line.second);
                json_ += ']';
            });
            json_ += ']';
        }
        if (c.review.empty()) return;
        json_ += ",\"review\":[";
        const std::string* texts[] = {&c.review.status, &c.review.assignee, &c.review.comment, &c.review.priority,
                                      &c.review.due};
        list(texts, [&](const std::string* text) { files::append_json(json_, *text); });
        json_ += ']';
    }

    void frames() {
        add("\"moving\":[{}],\"frames\":[", fmt::join(d_.moving, ","));
        std::uint32_t frame = 0;
        list(d_.frames, [&](const Frame& f) {
            for (std::size_t i = 0; i < d_.moving.size(); ++i) {
                const Display to = display(d_.moving[i], f.placements[i]);
                append(places_, to.linear, to.offset);
            }
            json_ += '[';
            list(f.hits,
                 [&](const Hit& h) { hit(h, most_pairs_, [&](std::uint32_t part) { return at_frame(part, frame); }); });
            json_ += ']';
            ++frame;
        });
        json_ += ']';
        if (d_.all_frames == 0) return;
        add("\"all_frames\":{},\"all_hits\":{},\"numbers\":[", d_.all_frames, d_.all_hits);
        list(d_.frames, [&](const Frame& f) { json_ += std::to_string(f.number); });
        json_ += ']';
    }

    void elements(const Sink& to) {
        const auto element = [&](const char* name, const char* type, auto&& inside) {
            to(fmt::format("<script type=\"{}\" id=\"graze-{}\">", type, name));
            inside();
            to("</script>\n");
        };
        element("document", "application/json", [&] { to(json_); });
        const char* names[] = {"points", "corners", "places", "exact",        "exact-ids", "pairs",
                               "curves", "areas",   "dots",   "area-corners", "boxes",     "clearances"};
        const std::span<const std::byte> buffers[] = {
            bytes(points_), bytes(corners_),        bytes(places_),      bytes(exact_),      bytes(exact_ids_),
            bytes(pairs_),  bytes(shape_.segments), bytes(shape_.areas), bytes(shape_.dots), bytes(shape_.area_corners),
            bytes(boxes_),  bytes(maps_.steps())};
        // Without a clearance map the last one is left out.
        const std::vector<std::string> streams =
            packed(std::span(buffers).first(std::size(buffers) - !maps_.any()), limits_.threads);
        for (std::size_t i = 0; i < streams.size(); ++i)
            element(names[i], "text/plain", [&] { write_base64(streams[i], to); });
        if (d_.answer.empty()) return;
        element("answer", "application/json", [&] {
            // In JSON the character `<` occurs in strings only, so it may be escaped everywhere.
            for (std::string_view rest = d_.answer; !rest.empty();) {
                const std::size_t at = std::min(rest.find('<'), rest.size());
                to(rest.substr(0, at));
                if (at < rest.size()) to("\\u003c");
                rest.remove_prefix(std::min(at + 1, rest.size()));
            }
        });
    }
    template <class T>
    static std::span<const std::byte> bytes(const std::vector<T>& words) {
        return std::as_bytes(std::span(words));
    }

    const Document& d_;
    const Limits& limits_;
    std::vector<Extent> extents_;  ///< one per mesh
    Extent scene_;
    std::map<std::uint32_t, std::size_t> moving_;  ///< index of a part in `Document::moving`
    std::size_t most_pairs_ = 0;
    ClearanceMaps maps_;

    std::vector<float> points_, places_, exact_, boxes_;
    std::vector<std::uint32_t> corners_, exact_ids_, pairs_;
    ContactShape shape_;
    std::unordered_map<std::uint64_t, std::uint32_t> numbers_;  ///< from mesh and triangle to the index in `exact_ids_`
};

}  // namespace

void write_data(const Document& document, const Limits& limits, const Sink& to) {
    DataWriter(document, limits).run(to);
}

}  // namespace graze::report
