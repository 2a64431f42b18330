// SPDX-License-Identifier: Apache-2.0
// The report: one page that opens from a file, needs no network and shows models and their contacts in 3D.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checks/kind.hpp"
#include "files/assembly.hpp"
#include "graze/graze.hpp"

namespace graze::report {

inline constexpr std::uint32_t no_part = ~std::uint32_t{0};

/// A model placed in the world. Parts that share a model share its memory in the page.
struct Part {
    std::string name;
    std::uint32_t mesh = 0;  ///< into `Document::meshes`
    Affine placement;        ///< world_from_model
    std::string group;       ///< parts of one group have one colour
    bool tree = false;       ///< whether the page shows the levels of the model's tree
    files::PartLabels labels = {};
    /// Distance of each triangle from the other parts: a clearance map, drawn in colours with a legend. Infinite where
    /// it is beyond what was asked for. Empty for none.
    std::vector<double> clearances = {};
};

using checks::Kind;
using checks::State;

/// Two parts that meet.
struct Hit {
    std::uint32_t a = 0, b = 0;  ///< into `Document::parts`
    Kind kind = Kind::Crossing;
    std::uint64_t contacts = 0;           ///< number of all contacts
    std::vector<TrianglePair> pairs;      ///< the contacts to draw, by triangle indices of the two models
    std::optional<Closest> closest = {};  ///< the shortest line between the parts, in the world; drawn with its length
};

/// An entry of the page's list.
struct Clash {
    Hit hit;                      ///< a part that no longer exists, or is not drawn, is `no_part`
    std::string gone_a, gone_b;   ///< names of such parts
    std::optional<Vec3> at = {};  ///< where it is, if nothing of it is drawn
    State state = State::None;
    std::string note;
    std::optional<std::uint32_t> frame;  ///< the frame that shows it; none means the initial placement

    std::string id;     ///< stays the same from run to run; empty means the place in the list
    double extent = 0;  ///< diagonal of the contact region
    bool thin = false;  ///< nowhere deeper than the tolerance that the user set
    std::optional<double> depth = {}, volume = {};  ///< how far the parts overlap, if that was measured
    std::optional<Vec3> translation = {};           ///< moves b clear of a, in the world
    std::optional<Kind> exact = {};  ///< the kind of the triangles taken at their word, where that is another
    double band = 0;                 ///< how accurate the triangles of both parts are together
    bool harmless = false;           ///< listed but no clash: hidden at first
    double severity = 0;             ///< the larger the graver; for sorting only
    std::uint32_t cause = 0;         ///< clashes with the same number probably have one cause
    std::string cause_name;          ///< what people may call this cause; may be empty
    checks::Review review = {};
    std::vector<std::pair<std::string, std::string>> more = {};  ///< lines of the card that no member above gives
};

/// A step of the timeline.
struct Frame {
    std::size_t number = 0;          ///< its number in the motion
    std::vector<Affine> placements;  ///< one for each part of `Document::moving`, in that order
    std::vector<Hit> hits;
};

struct Document {
    std::string title;
    std::string units;  ///< the unit of lengths, such as "mm"; may be empty
    Vec3 up{0, 0, 1};   ///< the up direction in the world
    std::vector<Model> meshes;
    std::vector<Part> parts;
    std::vector<Clash> clashes;
    std::vector<std::uint32_t> moving;  ///< parts that move from frame to frame
    std::vector<Frame> frames;          ///< all frames of the motion, or some that show it
    std::size_t all_frames = 0;         ///< number of frames of the whole motion; 0 when `frames` has all of them
    std::size_t all_hits = 0;           ///< number of those frames that have a hit
    std::size_t all_parts = 0;          ///< number of parts of the assembly; 0 when `parts` has all of them
    std::vector<std::pair<std::string, std::string>> figures;  ///< a table of names and values
    std::string answer;    ///< the command's answer in JSON, kept in the page word for word; may be empty
    double clearance = 0;  ///< how far clearance maps look; 0 means the largest finite distance in them
};

/// Upper limits of what is drawn. The page says what was left out.
struct Limits {
    std::size_t triangles = 1'500'000;  ///< triangles of all parts together; beyond this, large models are simplified
    std::size_t pairs = 120'000;        ///< contacts drawn in all clashes and frames; the numbers shown are true
    std::size_t boxes = 20'000;         ///< boxes per level of a tree; larger levels are left out
    unsigned threads = 0;               ///< number of threads; 0 means one per core; the page does not depend on it
};

/// The page as HTML. Names may contain anything; bytes that are not UTF-8 are replaced.
std::string html(const Document& document, const Limits& limits = {});

/// Writes the page to a file.
Result<void> write(const Document& document, const std::string& path, const Limits& limits = {});

}  // namespace graze::report
