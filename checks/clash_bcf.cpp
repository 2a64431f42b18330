// SPDX-License-Identifier: Apache-2.0
// BCF-XML 2.1 and 3.0 (buildingSMART): bcf.version, in 3.0 extensions.xml, and for each topic a folder with markup.bcf,
// viewpoint.bcfv and perhaps snapshot.png. The elements' order is that of the standard's schemas.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "checks/bounds.hpp"
#include "checks/causes.hpp"
#include "checks/clash_formats.hpp"
#include "checks/encode.hpp"
#include "checks/xml_writer.hpp"
#include "files/zip.hpp"

namespace graze::checks {

namespace {

constexpr std::size_t most_entries = 65'534;  ///< in a zip archive

/// A box for each part in the world. It holds the corners of the model's own box, so it may be larger than needed.
std::vector<Bounds> boxes_of(const Parts& parts) {
    std::vector<Bounds> of_models, of_parts;
    for (std::uint32_t i = 0; i < parts.shape_count(); ++i) of_models.push_back(parts.model_box(i));
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

/// A part as topics name it.
struct NamedPart {
    std::string path, name;  ///< the whole path, and a short name for people
    std::string ifc;         ///< GUID of its IFC element; may be empty
};

NamedPart named_part(const Part& part, const std::string& name) {
    const std::string& id = part.labels.id;
    return {part.path, name, is_ifc_guid(id) ? id : std::string(ifc_guid_in(part.path))};
}

/// A part of an earlier run.
NamedPart named_part(const std::string& path, const std::string& id) {
    return {path, path.substr(path.rfind('/') + 1), is_ifc_guid(id) ? id : std::string(ifc_guid_in(path))};
}

std::string in_words(const Gone& gone) {
    if (gone.state == State::Resolved) return "They no longer clash.";
    return fmt::format("{}: {}.", gone.state == State::PartGone ? "Part gone" : "Not checked", gone.why);
}

/// Adds a part to a selection. A part that is not an IFC element has only the authoring tool's name for it.
void add_component(XmlWriter& xml, const NamedPart& part) {
    xml.open("Component");
    if (!part.ifc.empty()) xml.attribute("IfcGuid", part.ifc);
    xml.leaf("OriginatingSystem", "graze");
    if (!part.path.empty()) xml.leaf("AuthoringToolId", part.path);
    xml.close();
}

struct Topic {
    std::string id;
    NamedPart a, b;
    Kind kind;
    bool thin;
    State state;
    Review review;
    std::string description;

    /// A GUID for something that belongs to the topic.
    std::string guid_of(const char* what) const { return guid(a.path, b.path, what); }
};

/// The topic's status. People's own word comes first, as long as the clash exists.
std::string status(const Topic& topic) {
    if (topic.state == State::Resolved) return "Resolved";
    return topic.review.status.empty() ? "Active" : topic.review.status;
}

const char* priority(const Topic& topic) {
    return topic.review.priority.empty() ? priority_of(topic.kind, topic.thin) : topic.review.priority.c_str();
}

std::vector<std::string> labels(const Topic& topic) {
    std::vector<std::string> all = {name(topic.kind)};
    if (topic.thin) all.emplace_back("thin");
    if (topic.state != State::None) all.emplace_back(name(topic.state));
    return all;
}

/// The files of a topic besides the markup.
struct Shows {
    bool viewpoint = false, snapshot = false;
};

/// In 2.1 comments and viewpoints follow the topic, and in 3.0 they are lists in it; so are labels.
std::string markup(const Topic& topic, std::size_t index, const std::string& created, Shows shows, bool is_3) {
    std::string kind = topic.thin ? "thin crossing" : name(topic.kind);
    kind[0] = static_cast<char>(kind[0] - 'a' + 'A');
    XmlWriter xml;
    xml.open("Markup").open("Topic").attribute("Guid", topic.id).attribute("TopicType", "Clash");
    xml.attribute("TopicStatus", status(topic));
    xml.leaf("Title", fmt::format("{}: {} and {}", kind, topic.a.name, topic.b.name));
    xml.leaf("Priority", priority(topic)).leaf("Index", index);
    if (is_3) xml.open("Labels");
    for (const std::string& label : labels(topic)) xml.leaf(is_3 ? "Label" : "Labels", label);
    if (is_3) xml.close();
    xml.leaf("CreationDate", created).leaf("CreationAuthor", "graze");
    if (is_day(topic.review.due)) xml.leaf("DueDate", topic.review.due + "T00:00:00Z");
    if (!topic.review.assignee.empty()) xml.leaf("AssignedTo", topic.review.assignee);
    xml.leaf("Description", topic.description);
    if (!is_3) xml.close();
    if (!topic.review.comment.empty()) {
        if (is_3) xml.open("Comments");
        xml.open("Comment").attribute("Guid", topic.guid_of("comment")).leaf("Date", created).leaf("Author", "graze");
        xml.leaf("Comment", topic.review.comment).close();
        if (is_3) xml.close();
    }
    if (shows.viewpoint) {
        if (is_3) xml.open("Viewpoints");
        xml.open(is_3 ? "ViewPoint" : "Viewpoints").attribute("Guid", topic.guid_of("viewpoint"));
        xml.leaf("Viewpoint", "viewpoint.bcfv");
        if (shows.snapshot) xml.leaf("Snapshot", "snapshot.png");
        xml.close();
        if (is_3) xml.close();
    }
    if (is_3) xml.close();
    return xml.close().take();
}

std::string viewpoint(const Topic& topic, const Camera& camera, bool is_3) {
    XmlWriter xml;
    xml.open("VisualizationInfo").attribute("Guid", topic.guid_of("viewpoint"));
    xml.open("Components").open("Selection");
    add_component(xml, topic.a);
    add_component(xml, topic.b);
    xml.close().open("Visibility").attribute("DefaultVisibility", "true").close().close();
    xml.open("PerspectiveCamera");
    add_vector(xml, "CameraViewPoint", camera.at);
    add_vector(xml, "CameraDirection", camera.direction);
    add_vector(xml, "CameraUpVector", camera.up);
    xml.leaf("FieldOfView", 60);
    if (is_3) xml.leaf("AspectRatio", 4.0 / 3);
    return xml.close().close().take();
}

std::string version(bool is_3) {
    XmlWriter xml;
    xml.open("Version").attribute("VersionId", is_3 ? "3.0" : "2.1");
    if (!is_3) xml.leaf("DetailedVersion", "2.1");
    return xml.close().take();
}

/// The words that the topics of a file use. BCF 3.0 asks for the list, and tools offer them in their menus.
struct Extensions {
    std::set<std::string> statuses = {"Active", "Resolved"}, priorities = {"Critical", "Major", "Minor", "Normal"};
    std::set<std::string> labels, users = {"graze"};

    void add(const Topic& topic) {
        statuses.insert(status(topic));
        priorities.insert(priority(topic));
        for (std::string& label : checks::labels(topic)) labels.insert(std::move(label));
        if (!topic.review.assignee.empty()) users.insert(topic.review.assignee);
    }

    std::string xml() const {
        XmlWriter xml;
        const auto list = [&](const char* all, const char* one, const std::set<std::string>& words) {
            xml.open(all);
            for (const std::string& word : words) xml.leaf(one, word);
            xml.close();
        };
        xml.open("Extensions");
        list("TopicTypes", "TopicType", {"Clash"});
        list("TopicStatuses", "TopicStatus", statuses);
        list("Priorities", "Priority", priorities);
        list("TopicLabels", "TopicLabel", labels);
        list("Users", "User", users);
        return xml.close().take();
    }
};

/// The topics of all clashes, in files that are as long as a zip archive may be.
class Files {
public:
    Files(std::string created, BcfVersion version) : created_(std::move(created)), is_3_(version == BcfVersion::V3_0) {}

    Result<void> add(const Topic& topic, const std::optional<Camera>& camera, const std::string& snapshot) {
        if (entries_.size() + 5 > most_entries)
            if (const Result<void> ended = end(); !ended) return ended.fault();
        if (entries_.empty()) entries_.push_back({"bcf.version", version(is_3_)});
        const std::string folder = topic.id + "/";
        const Shows shows = {camera.has_value(), camera && !snapshot.empty()};
        extensions_.add(topic);
        entries_.push_back({folder, {}});
        entries_.push_back({folder + "markup.bcf", markup(topic, ++index_, created_, shows, is_3_)});
        if (camera) entries_.push_back({folder + "viewpoint.bcfv", viewpoint(topic, *camera, is_3_)});
        if (shows.snapshot) entries_.push_back({folder + "snapshot.png", snapshot});
        return {};
    }

    Result<std::vector<std::string>> take() && {
        if (files_.empty() && entries_.empty()) entries_.push_back({"bcf.version", version(is_3_)});
        if (const Result<void> ended = end(); !ended) return ended.fault();
        return std::move(files_);
    }

private:
    Result<void> end() {
        if (entries_.empty()) return {};
        if (is_3_) entries_.push_back({"extensions.xml", extensions_.xml()});
        Result<std::string> zip = files::to_zip(entries_);
        if (!zip) return zip.fault();
        files_.push_back(std::move(*zip));
        entries_.clear();
        extensions_ = {};
        return {};
    }

    std::string created_;
    bool is_3_;
    Extensions extensions_;
    std::vector<files::ZipEntry> entries_;
    std::vector<std::string> files_;
    std::size_t index_ = 0;
};

}  // namespace

const char* priority_of(Kind kind, bool thin) {
    return thin || kind > Kind::Inside ? "Minor" : kind == Kind::Inside ? "Normal" : "Major";
}

Result<std::vector<std::string>> to_bcf(const ClashRun& run, const Snapshots& snapshots, BcfVersion version) {
    const Clashes& all = run.clashes;
    const Result<std::string> created = timestamp();
    if (!created) return created.fault();
    const bool has_views = !all.clashes.empty() || !all.gone.empty();
    const std::vector<Bounds> boxes = has_views ? boxes_of(run.parts) : std::vector<Bounds>();
    Bounds assembly;
    for (const Bounds& box : boxes) assembly.add(box);

    const std::vector<std::string> names = short_names(run.parts);
    Files files(*created, version);
    for (const Clash& clash : all.clashes) {
        std::string text = in_words(clash) + ".";
        if (std::string more = more_in_words(clash, names[clash.b]); !more.empty()) text += " " + more + ".";
        if (!clash.note.empty()) text += " " + clash.note;
        const Topic topic{.id = guid_of(run, clash),
                          .a = named_part(run.parts.parts[clash.a], names[clash.a]),
                          .b = named_part(run.parts.parts[clash.b], names[clash.b]),
                          .kind = clash.kind,
                          .thin = clash.thin,
                          .state = clash.state,
                          .review = clash.review,
                          .description = std::move(text)};
        const double radius = std::min(length(boxes[clash.a].half()), length(boxes[clash.b].half()));
        const auto snapshot = snapshots.find(topic.id);
        if (const Result<void> added = files.add(topic, look_at(clash, assembly.centre(), radius),
                                                 snapshot == snapshots.end() ? "" : snapshot->second);
            !added)
            return added.fault();
    }
    // Nobody knows where a clash that was not checked is. Its viewpoint names the parts for the next run.
    Clash anywhere;
    if (!assembly.empty()) anywhere.low = assembly.lo, anywhere.high = assembly.hi;
    const Camera from_afar = look_at(anywhere, middle(anywhere), 0);
    for (const std::vector<Gone>* some : {&all.resolved, &all.gone})
        for (const Gone& gone : *some) {
            const bool not_checked = gone.state == State::NotChecked;
            const Topic topic{.id = id_of(gone),
                              .a = named_part(gone.a, gone.id_a),
                              .b = named_part(gone.b, gone.id_b),
                              .kind = gone.kind,
                              .thin = gone.thin,
                              .state = gone.state,
                              .review = gone.review,
                              .description = in_words(gone)};
            const Result<void> added = files.add(topic, not_checked ? std::optional(from_afar) : std::nullopt, "");
            if (!added) return added.fault();
        }
    return std::move(files).take();
}

}  // namespace graze::checks
