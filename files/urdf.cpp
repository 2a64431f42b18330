// SPDX-License-Identifier: Apache-2.0
// URDF: the links, joints and shapes of a robot.
#include <array>
#include <cmath>
#include <filesystem>
#include <map>

#include "inside.hpp"
#include "primitives.hpp"
#include "robot.hpp"
#include "robot_xml.hpp"

namespace graze::files {

namespace {

namespace fs = std::filesystem;

/// Roll, pitch and yaw about the fixed axes x, y and z, in this order.
Mat3 from_rpy(const Vec3& a) {
    const double cr = std::cos(a.x), sr = std::sin(a.x), cp = std::cos(a.y), sp = std::sin(a.y), cy = std::cos(a.z),
                 sy = std::sin(a.z);
    return {{Vec3{cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr},
             Vec3{sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr}, Vec3{-sp, cp * sr, cp * cr}}};
}

/// A file's name in quotes, in full and on one line.
std::string whole_name(std::string name) {
    for (char& c : name)
        if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = '?';
    return "'" + name + "'";
}

/// The folders besides the URDF's own that may hold its meshes: those given, and the root of its package. That is the
/// nearest folder above with a package.xml, or without one the folder that holds `urdf` or `robots` with the file in
/// it.
std::vector<std::string> own_folders(const std::string& urdf, const RobotOptions& options) {
    std::vector<std::string> folders = options.search;
    std::error_code ignored;
    const fs::path own = fs::absolute(urdf, ignored).lexically_normal().parent_path();
    for (fs::path above = own; above != above.parent_path(); above = above.parent_path())
        if (fs::is_regular_file(above / "package.xml", ignored)) {
            folders.push_back(above.string());
            return folders;
        }
    if (own.filename() == "urdf" || own.filename() == "robots") folders.push_back(own.parent_path().string());
    return folders;
}

class UrdfReader : RobotXmlReader {
public:
    UrdfReader(const std::string& name, const RobotOptions& options)
        : RobotXmlReader(name), options_(options), folders_(own_folders(name, options)) {}

    Result<Robot> read(std::string_view text) {
        const XmlElement* root = open(text);
        if (!root) return fault();
        if (const char* name = root->Attribute("name")) out_.name = name;
        for (const XmlElement* e = root->FirstChildElement("link"); e; e = e->NextSiblingElement("link"))
            if (!link(*e)) return fault();
        for (const XmlElement* e = root->FirstChildElement("joint"); e; e = e->NextSiblingElement("joint"))
            if (!joint(*e)) return fault();
        if (!follow(*root) || !sort(*root)) return fault();
        return std::move(out_);
    }

private:
    bool link(const XmlElement& at) {
        Link link;
        if (!this->text(at, "name", link.name)) return false;
        if (!links_.emplace(link.name, static_cast<std::uint32_t>(out_.links.size())).second)
            return fail(at, "a second link " + in_quotes(link.name));
        const char* kind = options_.shapes == Shapes::Collision ? "collision" : "visual";
        for (const XmlElement* e = at.FirstChildElement(kind); e; e = e->NextSiblingElement(kind)) {
            LinkShape shape;
            Pose origin;
            if (!pose(*e, origin)) return false;
            const XmlElement* geometry = e->FirstChildElement("geometry");
            const XmlElement* one = geometry ? geometry->FirstChildElement() : nullptr;
            if (!one) return fail(*e, "a " + std::string(kind) + " without geometry");
            if (!this->geometry(*one, shape.mesh)) return false;
            shape.link_from_mesh = origin;
            link.shapes.push_back(shape);
        }
        out_.links.push_back(std::move(link));
        return true;
    }

    bool pose(const XmlElement& parent, Pose& out) {
        const XmlElement* origin = parent.FirstChildElement("origin");
        if (!origin) return true;
        Vec3 xyz, rpy;
        if (!vector(*origin, "xyz", xyz) || !vector(*origin, "rpy", rpy)) return false;
        const Result<Pose> good = Pose::from_matrix(from_rpy(rpy), xyz);
        if (!good) return fail(line(*origin), good.fault());
        out = *good;
        return true;
    }

    bool lengths(const XmlElement& at, const char* attribute, std::span<double> out) {
        if (!at.Attribute(attribute)) return fail(at, in_quotes(at.Name()) + " lacks " + in_quotes(attribute));
        if (!numbers(at, attribute, out)) return false;
        for (const double x : out)
            if (!(x >= 0 && x <= 1e6)) return fail(at, in_quotes(attribute) + " must be from 0 to 1e6");
        return true;
    }

    bool geometry(const XmlElement& at, std::uint32_t& mesh) {
        const std::string_view kind = at.Name();
        std::array<double, 3> size{};
        double radius = 0, length = 0;
        if (kind == "mesh") return mesh_file(at, mesh);
        Mesh made;
        if (kind == "box") {
            if (!lengths(at, "size", size)) return false;
            made = box_mesh({size[0], size[1], size[2]});
        } else if (kind == "cylinder") {
            if (!lengths(at, "radius", {&radius, 1}) || !lengths(at, "length", {&length, 1})) return false;
            made = cylinder_mesh(radius, length, options_.tolerance);
        } else if (kind == "sphere") {
            if (!lengths(at, "radius", {&radius, 1})) return false;
            made = sphere_mesh(radius, options_.tolerance);
        } else {
            return fail(at, "geometry " + in_quotes(kind) + " is not supported");
        }
        made.name = kind;
        mesh = static_cast<std::uint32_t>(out_.meshes.size());
        out_.meshes.push_back(std::move(made));
        return true;
    }

    bool mesh_file(const XmlElement& at, std::uint32_t& mesh) {
        std::string file;
        Vec3 scale{1, 1, 1};
        if (!text(at, "filename", file) || !vector(at, "scale", scale)) return false;
        const std::optional<fs::path> path = resolve(at, file);
        if (!path) return false;
        const auto [known, fresh] =
            meshes_.emplace(std::tuple(path->string(), scale.x, scale.y, scale.z), out_.meshes.size());
        mesh = static_cast<std::uint32_t>(known->second);
        if (!fresh) return true;
        // The unit is what the file states. The axes are kept: a link's frame is that of the file, whatever it says is
        // up.
        std::vector<std::string> allowed = folders_;
        allowed.insert(allowed.end(), options_.allowed_folders.begin(), options_.allowed_folders.end());
        const Result<Assembly> read = read_assembly(path->string(), {.up = Up::Keep, .allowed_folders = allowed});
        if (!read) return fail(line(at), read.fault());
        Result<Mesh> one = merged(*read);
        if (!one) return fail(line(at), one.fault());
        for (Vec3& p : one->points) p = {p.x * scale.x, p.y * scale.y, p.z * scale.z};
        one->name = path->stem().string();
        out_.meshes.push_back(std::move(*one));
        out_.notes.insert(out_.notes.end(), read->notes.begin(), read->notes.end());
        return true;
    }

    /// The mesh of this name, or none and a fault. A name is looked for in the folders given and in those above the
    /// URDF, whole and then without its first folder, and so on. What is found must be in a folder of the robot's own.
    std::optional<fs::path> resolve(const XmlElement& at, const std::string& name) {
        std::string file = name;
        for (const std::string_view scheme : {"package://", "model://", "file://"})
            if (file.starts_with(scheme)) {
                file = percent_decoded(std::string_view(file).substr(scheme.size()));
                break;
            }
        std::error_code ignored;
        std::vector<fs::path> places(options_.search.begin(), options_.search.end());
        for (fs::path above = fs::absolute(name_, ignored).parent_path();; above = above.parent_path()) {
            places.push_back(above);
            if (above == above.parent_path()) break;
        }
        bool outside = false;
        const auto good = [&](const fs::path& found) {
            if (!fs::is_regular_file(found, ignored)) return false;
            const bool own = resolve_reference(name_, fs::absolute(found, ignored).string(), folders_).ok();
            outside = outside || !own;
            return own;
        };
        if (fs::path(file).is_absolute() && good(file)) return file;
        fs::path rest = fs::path(file).relative_path();
        while (!rest.empty() && !(outside && fs::path(file).is_absolute())) {
            for (const fs::path& folder : places)
                if (good(folder / rest)) return (folder / rest).lexically_normal();
            fs::path shorter;
            for (auto it = std::next(rest.begin()); it != rest.end(); ++it) shorter /= *it;
            rest = std::move(shorter);
        }
        fail(line(at),
             {FaultKind::File,
              "mesh " + whole_name(name) +
                  (outside ? " is outside of the robot's folder and package; --package DIR names another folder"
                           : " is not found")});
        return std::nullopt;
    }

    bool joint(const XmlElement& at) {
        Joint joint;
        std::string kind;
        if (!text(at, "name", joint.name) || !text(at, "type", kind)) return false;
        if (!joints_.emplace(joint.name, static_cast<std::uint32_t>(out_.joints.size())).second)
            return fail(at, "a second joint " + in_quotes(joint.name));
        if (kind == "revolute" || kind == "continuous")
            joint.type = JointType::Revolute;
        else if (kind == "prismatic")
            joint.type = JointType::Prismatic;
        else if (kind == "floating" || kind == "planar")
            out_.notes.push_back(name_ + ":" + std::to_string(line(at)) + ": joint " + in_quotes(joint.name) + " is " +
                                 kind + " and stays at 0");
        else if (kind != "fixed")
            return fail(at, "joint type " + in_quotes(kind) + " is not supported");
        if (!end(at, "parent", joint.parent) || !end(at, "child", joint.child) || !pose(at, joint.parent_from_joint))
            return false;
        const bool moves = joint.type != JointType::Fixed;
        if (const XmlElement* axis = at.FirstChildElement("axis"); axis && moves) {
            if (!vector(*axis, "xyz", joint.axis)) return false;
            const double n = length(joint.axis);
            if (!(n > 1e-100 && n < 1e100)) return fail(*axis, "an axis without direction");
            joint.axis = joint.axis * (1 / n);
        }
        const XmlElement* limit = at.FirstChildElement("limit");
        if (limit && moves && kind != "continuous") {
            joint.lower = joint.upper = 0;  // the defaults of the format for a limit without bounds
            if (!numbers(*limit, "lower", {&joint.lower, 1}) || !numbers(*limit, "upper", {&joint.upper, 1}))
                return false;
        }
        if (const XmlElement* mimic = at.FirstChildElement("mimic"); mimic && moves) {
            std::string other;
            if (!text(*mimic, "joint", other) || !numbers(*mimic, "multiplier", {&joint.multiplier, 1}) ||
                !numbers(*mimic, "offset", {&joint.offset, 1}))
                return false;
            mimics_.push_back({static_cast<std::uint32_t>(out_.joints.size()), other, line(*mimic)});
        }
        lines_.push_back(line(at));
        out_.joints.push_back(std::move(joint));
        return true;
    }

    bool end(const XmlElement& at, const char* which, std::uint32_t& link) {
        const XmlElement* e = at.FirstChildElement(which);
        std::string name;
        if (!e) return fail(at, "a joint without " + std::string(which));
        if (!text(*e, "link", name)) return false;
        const auto known = links_.find(name);
        if (known == links_.end()) return fail(*e, "there is no link " + in_quotes(name));
        link = known->second;
        return true;
    }

    /// Resolves each joint that mimics another to a joint that moves by itself.
    bool follow(const XmlElement&) {
        constexpr std::uint32_t itself = 0xffffffff;
        followed_.assign(out_.joints.size(), itself);
        for (const MimicName& m : mimics_) {
            const auto known = joints_.find(m.other);
            if (known == joints_.end())
                return fail(m.line, {FaultKind::Damaged, "there is no joint " + in_quotes(m.other)});
            followed_[m.joint] = known->second;
        }
        for (const MimicName& m : mimics_) {
            std::uint32_t& other = followed_[m.joint];
            Joint& own = out_.joints[m.joint];
            for (std::size_t steps = 0; followed_[other] != itself; ++steps) {
                if (steps > out_.joints.size() || other == m.joint)
                    return fail(m.line, {FaultKind::Damaged, "joints that mimic each other"});
                const Joint& next = out_.joints[other];
                own.offset = own.multiplier * next.offset + own.offset;
                own.multiplier = own.multiplier * next.multiplier;
                other = followed_[other];
            }
        }
        for (std::uint32_t i = 0; i < out_.joints.size(); ++i)
            if (followed_[i] == itself) followed_[i] = i;
        return true;
    }

    /// Checks that the links are a tree and puts joints in the order of its levels.
    bool sort(const XmlElement& root) {
        if (out_.links.empty()) return fail(root, "a robot without links");
        constexpr std::uint32_t none = 0xffffffff;
        std::vector<std::uint32_t> above(out_.links.size(), none);
        std::vector<std::vector<std::uint32_t>> below(out_.links.size());
        for (std::uint32_t i = 0; i < out_.joints.size(); ++i) {
            const Joint& joint = out_.joints[i];
            if (above[joint.child] != none)
                return fail(lines_[i], {FaultKind::Damaged, "link " + in_quotes(out_.links[joint.child].name) +
                                                                " is the child of a second joint"});
            above[joint.child] = i;
            below[joint.parent].push_back(i);
        }
        out_.root = none;
        for (std::uint32_t i = 0; i < above.size(); ++i) {
            if (above[i] != none) continue;
            if (out_.root != none)
                return fail(root, "two links without a parent: " + in_quotes(out_.links[out_.root].name) + " and " +
                                      in_quotes(out_.links[i].name));
            out_.root = i;
        }
        std::vector<std::uint32_t> order, links;
        if (out_.root != none) links.push_back(out_.root);
        for (std::size_t i = 0; i < links.size(); ++i)
            for (const std::uint32_t j : below[links[i]]) {
                order.push_back(j);
                links.push_back(out_.joints[j].child);
            }
        if (links.size() != out_.links.size()) return fail(root, "links that form a ring");
        std::vector<std::uint32_t> place_of(order.size());
        std::vector<Joint> sorted;
        for (std::uint32_t i = 0; i < order.size(); ++i) {
            place_of[order[i]] = i;
            sorted.push_back(std::move(out_.joints[order[i]]));
        }
        out_.joints = std::move(sorted);
        std::vector<std::uint32_t> value_of(order.size());  // by the file's number of the joint
        for (std::uint32_t i = 0; i < order.size(); ++i) {
            if (out_.joints[place_of[i]].type == JointType::Fixed || followed_[i] != i) continue;
            value_of[i] = static_cast<std::uint32_t>(out_.active.size());
            out_.active.push_back(place_of[i]);
        }
        for (std::uint32_t i = 0; i < order.size(); ++i) {
            Joint& joint = out_.joints[place_of[i]];
            joint.value = value_of[followed_[i]];
            // A joint that does not move has the value 0 for those that mimic it.
            if (followed_[i] != i && out_.joints[place_of[followed_[i]]].type == JointType::Fixed) joint.multiplier = 0;
        }
        return true;
    }

    struct MimicName {
        std::uint32_t joint;
        std::string other;
        std::size_t line;
    };

    const RobotOptions& options_;
    std::vector<std::string> folders_;  // besides the URDF's own, those that may hold its meshes
    Robot out_;
    std::map<std::string, std::uint32_t> links_, joints_;
    std::map<std::tuple<std::string, double, double, double>, std::size_t> meshes_;
    std::vector<MimicName> mimics_;
    std::vector<std::size_t> lines_;       // line of each joint
    std::vector<std::uint32_t> followed_;  // the joint whose value each joint takes, by the file's numbers
};

}  // namespace

Result<Robot> parse_robot(std::string_view text, const std::string& name, const RobotOptions& options) {
    if (!(options.tolerance > 0)) return Fault{FaultKind::OutOfRange, name + ": the tolerance must be above 0"};
    return UrdfReader(name, options).read(text);
}

}  // namespace graze::files
