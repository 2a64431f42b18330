// SPDX-License-Identifier: Apache-2.0
// BCF-XML 2.1 (buildingSMART): bcf.version, and for each topic a folder with markup.bcf and viewpoint.bcfv. The
// elements' order is that of the standard's schemas.
#include <algorithm>
#include <cmath>
#include <optional>

#include "checks/bounds.hpp"
#include "checks/clash_formats.hpp"
#include "checks/xml_writer.hpp"
#include "checks/zip.hpp"

namespace graze::checks {

namespace {

constexpr std::size_t most_topics = (65'534 - 1) / 3;  // a folder and two files each, in a zip

/// A box for each part in the world. It holds the corners of the model's own box, so it may be larger than needed.
std::vector<Bounds> boxes_of(const Parts& parts) {
    std::vector<Bounds> of_models, of_parts;
    for (const Model& model : parts.models) of_models.emplace_back(model.bounds());
    for (const Part& part : parts.parts) {
        const Bounds& box = of_models[part.model];
        Bounds& placed = of_parts.emplace_back();
        for (int k = 0; k < 8 && !box.empty(); ++k)
            placed.add(part.world_from_model(
                {k & 1 ? box.hi.x : box.lo.x, k & 2 ? box.hi.y : box.lo.y, k & 4 ? box.hi.z : box.lo.z}));
    }
    return of_parts;
}

struct Camera {
    Vec3 at, direction, up;
};

/// A camera that looks at the clash from outside the assembly and from 30° above, with z up. The clash and half of the
/// smaller part around it fill the picture, which is 60° wide: a clash alone may be a single point.
Camera look_at(const Clash& clash, const Vec3& centre, double part_radius) {
    const Vec3 target = middle(clash);
    double radius = std::max(length(clash.high * 0.5 - clash.low * 0.5), 0.5 * part_radius);
    if (!(radius > 0) || !std::isfinite(radius)) radius = 1;
    Vec3 side{target.x - centre.x, target.y - centre.y, 0};
    const double off = length(side);
    side = off > 0.01 * radius && std::isfinite(off) ? side * (1 / off) : Vec3{-0.6, -0.8, 0};
    const double lift = 0.5, across = std::sqrt(0.75);
    const Vec3 back = side * across + Vec3{0, 0, lift};
    return {target + back * (2.2 * radius), -back, side * -lift + Vec3{0, 0, across}};
}

void add_vector(XmlWriter& xml, const char* element, const Vec3& v) {
    xml.open(element).leaf("X", v.x).leaf("Y", v.y).leaf("Z", v.z).close();
}

bool is_ifc_guid(std::string_view text) {
    return text.size() == 22 && text[0] >= '0' && text[0] <= '3' &&
           text.find_first_not_of("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_$") == text.npos;
}

/// The GUID of the IFC element that a part is or belongs to: the last name of its path that is a GUID, or that ends in
/// one after an underscore. assimp calls a wall `IfcWall_North wall_0DWgwt6o1FOx7466fPk$jl` and its shapes, one level
/// below, `IfcMappedItem`.
std::string_view ifc_guid_in(std::string_view path) {
    while (!path.empty()) {
        const std::size_t slash = path.find_last_of('/');
        std::string_view one = path.substr(slash + 1);  // the whole path when it has no slash
        path = path.substr(0, slash == path.npos ? 0 : slash);
        // `#2` and so on distinguish parts of equal names.
        if (const std::size_t hash = one.find_last_of('#'); hash != one.npos) one = one.substr(0, hash);
        const std::size_t start = one.size() - std::min<std::size_t>(one.size(), 22);
        if (is_ifc_guid(one.substr(start)) && (start == 0 || one[start - 1] == '_')) return one.substr(start);
    }
    return {};
}

/// Adds a part to a selection. A part that is not an IFC element has only the authoring tool's name for it.
void add_component(XmlWriter& xml, const std::string& path) {
    const std::string_view ifc = ifc_guid_in(path);
    xml.open("Component");
    if (!ifc.empty()) xml.attribute("IfcGuid", ifc);
    xml.leaf("OriginatingSystem", "graze").leaf("AuthoringToolId", path).close();
}

const char* priority(Kind kind) { return kind <= Kind::Crossing ? "Major" : kind == Kind::Inside ? "Normal" : "Minor"; }

struct Topic {
    std::string a, b;  ///< paths
    Kind kind;
    State state;
    std::string description;
};

std::string markup(const Topic& topic, std::size_t index, const std::string& created, bool viewpoint) {
    std::string kind = name(topic.kind);
    kind[0] = static_cast<char>(kind[0] - 'a' + 'A');
    XmlWriter xml;
    xml.open("Markup").open("Topic").attribute("Guid", guid(topic.a, topic.b)).attribute("TopicType", "Clash");
    xml.attribute("TopicStatus", topic.state == State::Resolved ? "Resolved" : "Active");
    xml.leaf("Title", fmt::format("{}: {} and {}", kind, topic.a, topic.b));
    xml.leaf("Priority", priority(topic.kind)).leaf("Index", index).leaf("Labels", name(topic.kind));
    if (topic.state != State::None) xml.leaf("Labels", name(topic.state));
    xml.leaf("CreationDate", created).leaf("CreationAuthor", "graze").leaf("Description", topic.description).close();
    if (viewpoint) {
        xml.open("Viewpoints").attribute("Guid", guid(topic.a, topic.b, "viewpoint"));
        xml.leaf("Viewpoint", "viewpoint.bcfv").close();
    }
    return xml.close().take();
}

std::string viewpoint(const Topic& topic, const Camera& camera) {
    XmlWriter xml;
    xml.open("VisualizationInfo").attribute("Guid", guid(topic.a, topic.b, "viewpoint"));
    xml.open("Components").open("Selection");
    add_component(xml, topic.a);
    add_component(xml, topic.b);
    xml.close().open("Visibility").attribute("DefaultVisibility", "true").close().close();
    xml.open("PerspectiveCamera");
    add_vector(xml, "CameraViewPoint", camera.at);
    add_vector(xml, "CameraDirection", camera.direction);
    add_vector(xml, "CameraUpVector", camera.up);
    return xml.leaf("FieldOfView", 60).close().close().take();
}

std::string version() {
    XmlWriter xml;
    return xml.open("Version").attribute("VersionId", "2.1").leaf("DetailedVersion", "2.1").close().take();
}

}  // namespace

Result<std::string> to_bcf(const ClashRun& run) {
    const Clashes& all = run.clashes;
    if (const std::size_t topics = all.clashes.size() + all.resolved.size(); topics > most_topics)
        return Fault{FaultKind::TooMany,
                     fmt::format("{} clashes are more than the {} that a BCF file holds", topics, most_topics)};
    const Result<std::string> created = timestamp();
    if (!created) return created.fault();
    const std::vector<Bounds> boxes = all.clashes.empty() ? std::vector<Bounds>() : boxes_of(run.parts);
    Bounds assembly;
    for (const Bounds& box : boxes) assembly.add(box);

    std::vector<ZipEntry> entries;
    entries.push_back({"bcf.version", version()});
    std::size_t index = 0;
    const auto add_topic = [&](const Topic& topic, const std::optional<Camera>& camera) {
        const std::string folder = guid(topic.a, topic.b) + "/";
        entries.push_back({folder, {}});
        entries.push_back({folder + "markup.bcf", markup(topic, ++index, *created, camera.has_value())});
        if (camera) entries.push_back({folder + "viewpoint.bcfv", viewpoint(topic, *camera)});
    };
    for (const Clash& clash : all.clashes) {
        std::string text = in_words(clash) + ".";
        if (!clash.note.empty()) text += " " + clash.note;
        add_topic(
            {run.parts.parts[clash.a].path, run.parts.parts[clash.b].path, clash.kind, clash.state, text},
            look_at(clash, assembly.centre(), std::min(length(boxes[clash.a].half()), length(boxes[clash.b].half()))));
    }
    for (const Gone& gone : all.resolved)
        add_topic({gone.a, gone.b, gone.kind, State::Resolved, "They clash no more."}, {});
    return to_zip(entries);
}

}  // namespace graze::checks
