// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "graze/distance.hpp"
#include "graze/query.hpp"

namespace graze {

namespace detail {
struct SolidData;
}

/// Reasons why a model's surface is not the boundary of a solid. Where several apply, the first one here is named.
enum class Flaw : std::uint8_t {
    None,          ///< closed and consistently oriented; no triangles cross or overlap
    Open,          ///< an edge has an odd number of triangles; a shell with such an edge has no inside
    Unorientable,  ///< closed, but no choice of sides makes all neighbours agree; such a shell has no inside
    SelfCrossing,  ///< triangles meet in more than the corners and edges they share, or shells overlap
    Misoriented,   ///< triangles face the wrong way; the queries here turn them over
};

/// The name of a flaw, in lower case: "none", "open", "unorientable", "self-crossing" or "misoriented".
const char* name(Flaw flaw);

/// A model seen as the boundary of a solid.
///
/// Corners with equal coordinates count as one point. A shell is a set of triangles that are connected by edges. The
/// points that a closed shell encloses are inside. A closed shell wholly within one other is a cavity, one within that
/// is solid again, and so on, whichever way their triangles face. Where shells overlap, all of what they hold is
/// inside. Open shells have no inside. Bodies or cavities of one closed shell that touch along edges each count as a
/// closed shell in all this. A triangle with equal corners adds nothing on an edge or a corner of others; elsewhere it
/// is an open shell.
///
/// A solid shares its model's memory. The first query that needs to know the surface examines it, once, in about 0.5 µs
/// per triangle. Copies share it, and many threads may use one solid at once.
class Solid {
public:
    /// The empty solid.
    Solid();
    explicit Solid(const Model& model);
    /// Copies share their memory. There is no move: it would leave a solid without a model.
    Solid(const Solid& other) = default;
    Solid& operator=(const Solid& other) = default;

    /// The model as it was when the solid was made. A later refit does not reach it.
    const Model& model() const;

    /// The first flaw in the order of `Flaw`. Looks for contacts of the model with itself unless an earlier flaw is
    /// found. `None` for an empty model.
    Flaw flaw() const;
    /// True when every shell is closed, and some triangle has an area.
    bool closed() const;
    /// True when some shell has an inside.
    bool has_inside() const;
    /// Number of shells.
    std::uint32_t shell_count() const;
    /// Number of edges.
    std::uint64_t edge_count() const;
    /// Number of edges with one triangle.
    std::uint64_t open_edge_count() const;
    /// Number of edges with more than two triangles.
    std::uint64_t crowded_edge_count() const;
    /// Number of triangles with exactly zero area.
    std::uint32_t degenerate_count() const;
    /// Number of triangles in closed shells that face the wrong way.
    std::uint32_t misoriented_count() const;
    /// Volume of the closed shells, cavities subtracted, in double arithmetic. Infinite beyond the range of doubles.
    double volume() const;

private:
    friend struct detail::SolidData;
    std::shared_ptr<detail::SolidData> data_;
};

/// Where a point lies.
enum class Side : std::uint8_t { Outside, OnSurface, Inside };

/// The side of a solid on which a point in its frame lies, decided without rounding. The surface includes open shells.
/// A point that is not finite or beyond `max_coordinate` is outside.
Side side_of(const Solid& solid, const Vec3& point);
/// Settings of queries about many points.
struct PointsSettings {
    unsigned threads = 0;  ///< 0 means one per core
};
/// The sides of many points, on threads. `sides` must be as long as `points`.
void sides_of(const Solid& solid, std::span<const Vec3> points, std::span<Side> sides,
              const PointsSettings& settings = {});

/// The point of a solid's surface that is closest to a point in its frame. The distance is negative for a point inside.
ClosestPoint signed_distance(const Solid& solid, const Vec3& point);
/// The signed distances of many points, on threads. `closest` must be as long as `points`.
void signed_distances(const Solid& solid, std::span<const Vec3> points, std::span<ClosestPoint> closest,
                      const PointsSettings& settings = {});

/// How two solids A and B lie to each other. A triangle pair that crosses makes the relation `Crossing`. Otherwise the
/// relation is that of the sets of points, where a shell without inside is a sheet.
enum class Relation : std::uint8_t {
    Disjoint,  ///< no point in common
    Touching,  ///< surfaces meet, and no point of one is within the other
    Crossing,  ///< part of one is within the other, and part of each is outside the other
    AInsideB,  ///< all of A is within B; their surfaces may meet, as those of a drawer and its cabinet
    BInsideA,  ///< all of B is within A
    Equal,     ///< the same set of points
};

/// The name of a relation, in lower case: "disjoint", "touching", "crossing", "a inside b", "b inside a" or "equal".
const char* name(Relation relation);

/// How two solids lie to each other. Certain where neither has a flaw but `Misoriented`; `Crossing` is certain as well
/// when triangles cross.
struct RelationResult {
    Relation relation = Relation::Disjoint;
    /// Whether part of A's surface is within B, and part of B's within A. Not looked for when triangles cross.
    bool a_enters_b = false, b_enters_a = false;
    /// False when a shell that is open or unorientable took part. Nothing counts as inside such a shell, so the
    /// relation says where it lies, but not what it might hold.
    bool inside_known = true;
};

/// Decides how A and B lie to each other, without rounding and without tolerance. `a_from_b` places B in A's frame.
/// Ends at the first pair of triangles that cross.
RelationResult relation(const Solid& a, const Solid& b, const Affine& a_from_b, const QuerySettings& settings = {});
/// The relation when all contacts are known already: those that `collide` gives for this placement, in any order.
RelationResult relation_from(const Solid& a, const Solid& b, const Affine& a_from_b, std::span<const Contact> contacts);

/// A curve in which two surfaces cross.
struct Curve {
    std::vector<Vec3> points;             ///< in A's frame; a closed curve does not repeat its first point
    std::vector<TrianglePair> triangles;  ///< the triangles of each segment, in the order of the points
    bool closed = false;
};

/// The curves in which the surfaces of A and B cross. B is moved by an infinitesimal amount, the same for every call:
/// where the surfaces meet along an edge, through a corner or face to face, the curves are those of the moved model.
/// The surfaces of two closed models have closed curves. Each coordinate is the nearest double to its true value.
/// Segments without length are left out.
std::vector<Curve> intersection_curves(const Solid& a, const Solid& b, const Affine& a_from_b,
                                       const QuerySettings& settings = {});

/// The size of the common part of two solids.
struct Overlap {
    double volume = 0;
    double area = 0;  ///< of the surface of the common part
};

/// Volume and surface area of the points within both solids. Which parts of the triangles bound it is decided without
/// rounding. The sums are off by about 1e-14 of the cube and of the square of the common part's diameter, and by the
/// rounding of coordinates in A's frame, however much larger the solids are. Faces that only touch count to that
/// diameter. Shells without inside do not count. Where shells of one solid overlap, a part within two of them counts
/// twice.
Overlap overlap(const Solid& a, const Solid& b, const Affine& a_from_b, const QuerySettings& settings = {});

/// Settings of `inside_depth`.
struct DepthSettings {
    /// The search ends when `Depth::low` is too small by at most this part of it plus `absolute_error`.
    double relative_error = 0.01;
    double absolute_error = 0;  ///< 0 means 1e-6 of the smaller model's size; at least 1e-13 of the largest coordinate
    /// The search ends when it knows a depth above this. `Depth::high` is then infinite.
    double stop_above = std::numeric_limits<double>::infinity();
    /// The search ends after this many steps with the range that it has reached. A step takes some microseconds.
    std::uint64_t max_steps = std::numeric_limits<std::uint64_t>::max();
};

/// A depth, which lies between two bounds.
struct Depth {
    double low = 0;   ///< the depth of a point that was found
    double high = 0;  ///< no point is deeper
};

/// How deep the surface of one solid reaches into the other, in the unit of A's frame. A point of one surface that lies
/// inside the other solid is as deep as it is far from that solid's surface; the deepest point counts. 0 when there is
/// no such point. Shells without inside are never entered, but may enter the other solid.
Depth inside_depth(const Solid& a, const Solid& b, const Affine& a_from_b, const DepthSettings& settings = {});

/// True when the solids meet and overlap by no more than a tolerance, a length in A's frame. Use it beside `relation`
/// for parts whose coordinates are inexact, as those of CAD exports are.
///
/// The surfaces meet, or the relation is `Crossing`: a solid wholly within the other is not on its surface. No point of
/// the surface of one is deeper than the tolerance inside the other. No ball with a diameter above the tolerance fits
/// into what the two have in common, as one does where a part lies on a copy of itself. Where sheets cross, one of them
/// ends within the tolerance beyond the other.
///
/// Ends as soon as that is decided. Depths are compared in double arithmetic.
bool touching_within(const Solid& a, const Solid& b, const Affine& a_from_b, double tolerance);

/// True when no point of the surface of one solid is further than `tolerance` from that of the other, and both solids
/// are on the same side of their surfaces. The tolerance is a length in A's frame. Distances are compared in double
/// arithmetic.
bool equal_within(const Solid& a, const Solid& b, const Affine& a_from_b, double tolerance);

/// A way to part two solids.
struct Penetration {
    double depth = 0;  ///< length of the translation; infinite when there is none
    Vec3 translation;  ///< in A's frame: moves B until it is disjoint from A or touches it
};

/// How far B must move along a direction, given in A's frame and of any length, until the solids have no part in
/// common: the least way, after which B may meet A again further on. Zero when they have no part in common now.
/// Infinite for a direction that is zero or not finite.
///
/// The length is never too small: a query has confirmed that the solids are parted. With s the size of the smaller
/// model plus a thousandth of the largest coordinate, the length is too long by at most 1e-9 s, and a gap that B fits
/// into with less than that to spare may be passed over. Where faces slide along each other that are flush but for
/// rounding, the translation leaves the direction by up to 1e-10 s.
Penetration penetration_along(const Solid& a, const Solid& b, const Affine& a_from_b, const Vec3& direction);

/// The shortest way that parts the solids along some dozens of directions: normals of triangles in contact, the axes,
/// and normals of the faces and edges that cross last. This is an upper bound on the least translation that parts them,
/// and exact to 1e-9 where that translation is along one of these directions.
Penetration penetration(const Solid& a, const Solid& b, const Affine& a_from_b);

}  // namespace graze
