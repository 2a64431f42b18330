// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tinyxml2.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

#include "text.hpp"

namespace graze::files {

using XmlElement = tinyxml2::XMLElement;

/// Reads what URDF and SRDF share: the document, names and numbers. A function that returns false has set the fault.
class RobotXmlReader {
public:
    explicit RobotXmlReader(const std::string& name) : name_(name) {}

    const Fault& fault() const { return fault_; }

protected:
    /// The element `robot`, or null.
    const XmlElement* open(std::string_view text) {
        if (document_.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS) {
            fail(static_cast<std::size_t>(std::max(1, document_.ErrorLineNum())),
                 {FaultKind::Damaged, std::string("not well-formed XML: ") + document_.ErrorName()});
            return nullptr;
        }
        const XmlElement* robot = document_.RootElement();
        if (robot && robot->Name() == std::string_view("robot")) return robot;
        fail(1, {FaultKind::Damaged, "'robot' is not the outermost element"});
        return nullptr;
    }

    bool fail(std::size_t line, const Fault& what) {
        fault_ = located(name_, line, what);
        return false;
    }
    bool fail(const XmlElement& at, const std::string& what) { return fail(line(at), {FaultKind::Damaged, what}); }
    static std::size_t line(const XmlElement& at) { return static_cast<std::size_t>(at.GetLineNum()); }

    bool text(const XmlElement& at, const char* attribute, std::string& out) {
        const char* value = at.Attribute(attribute);
        if (!value) return fail(at, in_quotes(at.Name()) + " lacks " + in_quotes(attribute));
        out = value;
        return true;
    }

    /// Reads numbers separated by blanks. Without the attribute `out` keeps its values.
    bool numbers(const XmlElement& at, const char* attribute, std::span<double> out) {
        const char* value = at.Attribute(attribute);
        if (!value) return true;
        TextCursor cursor{std::string_view(value)};
        for (double& x : out) {
            const Result<double> one = parse_number(cursor.word_anywhere());
            if (!one.ok()) return fail(line(at), {one.fault().kind, in_quotes(attribute) + ": " + one.fault().message});
            x = *one;
        }
        return cursor.word_anywhere().empty() ||
               fail(at, in_quotes(attribute) + " has more than " + std::to_string(out.size()) + " numbers");
    }
    bool vector(const XmlElement& at, const char* attribute, Vec3& out) {
        std::array<double, 3> xyz{out.x, out.y, out.z};
        if (!numbers(at, attribute, xyz)) return false;
        out = {xyz[0], xyz[1], xyz[2]};
        return true;
    }

    const std::string& name_;

private:
    tinyxml2::XMLDocument document_;
    Fault fault_{};
};

}  // namespace graze::files
