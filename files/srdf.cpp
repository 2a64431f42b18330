// SPDX-License-Identifier: Apache-2.0
// SRDF: which links of a robot are never checked against each other, and its named states.
#include <algorithm>
#include <array>

#include "robot.hpp"
#include "robot_xml.hpp"

namespace graze::files {

namespace {

class SrdfReader : RobotXmlReader {
public:
    SrdfReader(const std::string& name, const Robot& robot) : RobotXmlReader(name), robot_(robot) {}

    Result<RobotSemantics> read(std::string_view text) {
        const XmlElement* root = open(text);
        if (!root) return fault();
        for (const XmlElement* e = root->FirstChildElement("disable_collisions"); e;
             e = e->NextSiblingElement("disable_collisions"))
            if (!pair(*e)) return fault();
        for (const XmlElement* e = root->FirstChildElement("group_state"); e;
             e = e->NextSiblingElement("group_state")) {
            RobotSemantics::State& one = out_.states.emplace_back();
            if (const char* name = e->Attribute("name")) one.name = name;
            if (!state(*e, *root, one)) one.fault = fault();
        }
        return std::move(out_);
    }

private:
    bool pair(const XmlElement& at) {
        std::array<std::string, 2> names;
        if (!text(at, "link1", names[0]) || !text(at, "link2", names[1])) return false;
        std::array<std::uint32_t, 2> links{};
        for (int i = 0; i < 2; ++i) {
            const std::optional<std::uint32_t> link = robot_.find_link(names[i]);
            if (!link) {
                out_.notes.push_back(name_ + ":" + std::to_string(line(at)) + ": the robot has no link " +
                                     in_quotes(names[i]));
                return true;
            }
            links[i] = *link;
        }
        const char* reason = at.Attribute("reason");
        out_.disabled.push_back({std::min(links[0], links[1]), std::max(links[0], links[1]), reason ? reason : ""});
        return true;
    }

    bool state(const XmlElement& at, const XmlElement& root, RobotSemantics::State& out) {
        for (const XmlElement* e = at.FirstChildElement("joint"); e; e = e->NextSiblingElement("joint")) {
            std::string joint, value;
            if (!text(*e, "name", joint) || !text(*e, "value", value)) return false;
            std::vector<double> all;
            TextCursor cursor{value};
            for (std::string_view word; !(word = cursor.word_anywhere()).empty();) {
                const Result<double> one = parse_number(word);
                if (!one.ok())
                    return fail(line(*e), {one.fault().kind, in_quotes("value") + ": " + one.fault().message});
                all.push_back(*one);
            }
            if (all.empty()) return fail(*e, "'value' is empty");
            // A joint that the URDF lacks and that takes the numbers of a planar or a floating one is the root joint by
            // which other programs let the robot move in the world.
            constexpr std::array<std::size_t, 4> of_root_joints = {3, 4, 6, 7};
            const bool floats =
                !robot_.find_joint(joint) && std::ranges::find(of_root_joints, all.size()) != of_root_joints.end();
            if (all.size() == 1 && !is_virtual(root, joint))
                out.values.emplace_back(joint, all[0]);
            else if (floats || is_virtual(root, joint) || robot_.find_joint(joint))
                out.notes.push_back("state " + in_quotes(out.name) + ": joint " + in_quotes(joint) + " has " +
                                    std::to_string(all.size()) + " numbers and stays at 0: the robot does not leave " +
                                    "its root");
            else
                return fail(*e, "the robot has no joint " + in_quotes(joint));
        }
        return true;
    }

    /// True for a joint between the robot and the world, which the URDF does not have.
    bool is_virtual(const XmlElement& root, const std::string& joint) const {
        if (robot_.find_joint(joint)) return false;
        for (const XmlElement* e = root.FirstChildElement("virtual_joint"); e;
             e = e->NextSiblingElement("virtual_joint"))
            if (const char* name = e->Attribute("name"); name && joint == name) return true;
        return false;
    }

    const Robot& robot_;
    RobotSemantics out_;
};

}  // namespace

Result<RobotSemantics> parse_semantics(std::string_view text, const std::string& name, const Robot& robot) {
    return SrdfReader(name, robot).read(text);
}

}  // namespace graze::files
