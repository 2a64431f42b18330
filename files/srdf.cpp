// SPDX-License-Identifier: Apache-2.0
// SRDF: which links of a robot are never checked against each other, and its named states.
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
        for (const XmlElement* e = root->FirstChildElement("group_state"); e; e = e->NextSiblingElement("group_state"))
            if (!state(*e)) return fault();
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

    bool state(const XmlElement& at) {
        RobotSemantics::State state;
        if (!text(at, "name", state.name)) return false;
        for (const XmlElement* e = at.FirstChildElement("joint"); e; e = e->NextSiblingElement("joint")) {
            std::string joint;
            double value = 0;
            if (!text(*e, "name", joint) || !numbers(*e, "value", {&value, 1})) return false;
            state.values.emplace_back(joint, value);
        }
        out_.states.push_back(std::move(state));
        return true;
    }

    const Robot& robot_;
    RobotSemantics out_;
};

}  // namespace

Result<RobotSemantics> parse_semantics(std::string_view text, const std::string& name, const Robot& robot) {
    return SrdfReader(name, robot).read(text);
}

}  // namespace graze::files
