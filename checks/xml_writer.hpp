// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <tinyxml2.h>

#include <string>
#include <string_view>

#include "checks/encode.hpp"

namespace graze::checks {

/// Writes XML with tinyxml2, element by element. Characters that XML cannot hold become U+FFFD.
class XmlWriter {
public:
    XmlWriter() { printer_.PushDeclaration("xml version=\"1.0\" encoding=\"UTF-8\""); }

    XmlWriter& open(const char* element) {
        printer_.OpenElement(element);
        return *this;
    }
    template <class T>
    XmlWriter& attribute(const char* name, const T& value) {
        printer_.PushAttribute(name, as_xml(fmt::format("{}", value)).c_str());
        return *this;
    }
    XmlWriter& text(std::string_view value) {
        printer_.PushText(as_xml(value).c_str());
        return *this;
    }
    XmlWriter& close() {
        printer_.CloseElement();
        return *this;
    }
    /// Adds an element that contains only a text.
    template <class T>
    XmlWriter& leaf(const char* element, const T& value) {
        return open(element).text(fmt::format("{}", value)).close();
    }
    /// The document. All elements must be closed.
    std::string take() const { return {printer_.CStr(), static_cast<std::size_t>(printer_.CStrSize() - 1)}; }

private:
    tinyxml2::XMLPrinter printer_;
};

}  // namespace graze::checks
