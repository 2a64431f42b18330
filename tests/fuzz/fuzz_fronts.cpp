// SPDX-License-Identifier: Apache-2.0
// Small soups from bytes, moved, refitted and asked about by a script from bytes too: with a front every answer is that
// of every pair of triangles by itself.
#include <algorithm>
#include <limits>
#include <vector>

#include "brute_force.hpp"
#include "graze/distance.hpp"
#include "graze/front.hpp"
#include "models.hpp"
#include "query/margin.hpp"

namespace {

using namespace graze;

Front make_front(fuzz::Bytes& bytes) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr double coherence[] = {0, 1e-3, 0.1, 10, 1e6, infinity};
    FrontSettings s;
    const auto kind = bytes.take<std::uint8_t>(), more = bytes.take<std::uint8_t>();
    if (kind % 8 < 6) s.coherence = coherence[kind % 8];
    if (kind / 8 % 8 < 6) s.prune = coherence[kind / 8 % 8];
    if (more % 4 == 3) s.sprout = more / 4 % 8;
    if (more > 240) s.max_bytes = 16u * (more - 240);
    return Front(s);
}

/// Placed a little otherwise: by a step that is a power of two, of the translation or of an entry of the matrix.
Affine moved(fuzz::Bytes& bytes, const Affine& from) {
    const auto what = bytes.take<std::uint8_t>(), how = bytes.take<std::uint8_t>();
    const double step = std::ldexp(how & 1 ? -1 : 1, (how >> 1) % 64 - 60);
    Mat3 m = from.linear();
    Vec3 t = from.translation();
    const int axis = what / 4 % 3;
    if (what % 4 == 0)
        m.row[static_cast<std::size_t>(axis)][what / 16 % 3] += step;
    else
        t[axis] += what % 4 == 1 ? step : step * 64;
    const Result<Affine> to = Affine::from_matrix(m, t);
    return to ? *to : from;
}

std::vector<TrianglePair> sorted(const std::vector<Contact>& contacts) {
    std::vector<TrianglePair> pairs;
    for (const Contact& c : contacts) pairs.push_back(c.triangles);
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

void compare(const Model& a, const Model& b, const Affine& a_from_b, double margin, Front& front, Scratch& scratch,
             std::uint8_t question) {
    // With a margin the distance in double decides: the query without a front knows.
    const std::vector<TrianglePair> expected =
        margin > 0 ? sorted(collide_within(a, b, a_from_b, margin)) : fuzz::by_brute_force(a, b, a_from_b);
    const QuerySettings options{.scratch = &scratch, .front = &front};
    if (question % 4 == 1) {
        fuzz::require(within(a, b, a_from_b, margin, options) == !expected.empty(), "first contact as by brute force");
    } else if (question % 4 == 2) {
        const std::size_t stop = 1 + question / 4 % 4;
        std::vector<Contact> some;
        const bool all = detail::for_each_contact(
            a, b, a_from_b, margin,
            [&](const Contact& c) {
                some.push_back(c);
                return some.size() < stop ? Step::Continue : Step::Stop;
            },
            options);
        const auto found = sorted(some);
        fuzz::require(found.size() == std::min(stop, expected.size()) && all == (expected.size() < stop) &&
                          std::includes(expected.begin(), expected.end(), found.begin(), found.end()),
                      "some contacts as by brute force");
    } else {
        fuzz::require(sorted(collide_within(a, b, a_from_b, margin, options)) == expected,
                      "contacts as by brute force");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Bytes bytes(data, size);
    const auto style = bytes.take<std::uint8_t>();
    Model a = fuzz::make_model(bytes, style), b = fuzz::make_model(bytes, style);
    Front front = make_front(bytes);
    Scratch scratch;
    Affine pose, last;
    double margin = 0;
    Model kept;
    // With arbitrary doubles every pair takes the widest integers, so there are fewer steps.
    const int steps = style % 4 == 0 ? 6 : 48;
    for (int step = 0; step < steps && !bytes.empty(); ++step) {
        const auto op = bytes.take<std::uint8_t>();
        const Affine before = pose;
        switch (op % 16) {
            case 0:
                pose = fuzz::make_placement(bytes, style);
                break;
            case 1:
                pose = last;
                break;
            case 2:
                margin = op & 16 ? 0 : std::ldexp(1 + (op >> 5), bytes.take<std::int8_t>() / 4);
                break;
            case 3:
            case 4: {  // refitted, in place or as a copy
                Model& m = op & 16 ? a : b;
                if (op & 32) kept = m;
                const std::uint32_t first = bytes.take<std::uint8_t>() % m.point_count();
                const std::uint32_t count = 1 + bytes.take<std::uint8_t>() % (m.point_count() - first);
                const auto rebuild = op & 64 ? Rebuild::Never : static_cast<Rebuild>((op >> 7) + 1);
                fuzz::require(
                    m.refit(fuzz::make_points(bytes, count, style), {.first = first, .rebuild = rebuild}).ok(),
                    "a refit is sound");
                break;
            }
            case 5:
                if (op & 128) std::swap(a, b);
                if (op & 64 && kept.triangle_count() > 0) std::swap(a, kept);
                break;
            case 6:
            case 7:
                break;  // the same again
            default:
                pose = moved(bytes, pose);
                break;
        }
        last = before;
        compare(a, b, pose, margin, front, scratch, op >> 4);
    }
    return 0;
}
