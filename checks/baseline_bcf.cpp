// SPDX-License-Identifier: Apache-2.0
// Topics of BCF 2.x and 3.0 as an earlier run wrote them, and as BIM tools give them back.
#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>

#include "checks/baseline.hpp"
#include "checks/clash_formats.hpp"
#include "checks/encode.hpp"
#include "files/zip.hpp"

namespace graze::checks {

namespace {

using tinyxml2::XMLElement;

std::string text_in(const XMLElement* parent, const char* child) {
    const XMLElement* element = parent->FirstChildElement(child);
    return element != nullptr && element->GetText() != nullptr ? element->GetText() : "";
}

template <class F>
void for_each_child(const XMLElement* parent, const char* child, F&& f) {
    for (const XMLElement* one = parent->FirstChildElement(child); one != nullptr; one = one->NextSiblingElement(child))
        f(one);
}

/// All comments, line by line. Tools hand comments back that an earlier run had put together from others. In 3.0 they
/// are a list in the topic.
std::string comments_in(const XMLElement* markup, const XMLElement* topic) {
    std::string all;
    const auto add = [&](const XMLElement* comment) {
        const std::string text = text_in(comment, "Comment");
        if (all.find(text) != all.npos) return;
        all = text.find(all) != text.npos ? text : all + "\n" + text;
    };
    for_each_child(markup, "Comment", add);
    for_each_child(topic, "Comments", [&](const XMLElement* list) { for_each_child(list, "Comment", add); });
    return all;
}

/// The clash of a topic, without its parts. Nothing when graze did not write the topic, or when the clash is
/// resolved or gone with its part.
struct TopicText {
    std::optional<Gone> clash;
    bool resolved = false;
};

TopicText read_topic(const XMLElement* markup) {
    TopicText out;
    const XMLElement* topic = markup->FirstChildElement("Topic");
    if (topic == nullptr || topic->Attribute("Guid") == nullptr) return out;
    std::optional<Kind> kind;
    Gone clash;
    const auto add_label = [&](const XMLElement* label) {
        const std::string_view word = label->GetText() != nullptr ? label->GetText() : "";
        for (int i = 0; i < kind_count; ++i)
            if (word == name(static_cast<Kind>(i))) kind = static_cast<Kind>(i);
        clash.thin = clash.thin || word == "thin";
        out.resolved = out.resolved || word == name(State::Resolved) || word == name(State::PartGone);
    };
    for_each_child(topic, "Labels", [&](const XMLElement* labels) {
        add_label(labels);
        for_each_child(labels, "Label", add_label);
    });
    if (!kind || out.resolved) return out;
    clash.kind = *kind;
    clash.id = topic->Attribute("Guid");
    std::ranges::transform(clash.id, clash.id.begin(), [](char c) { return c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c; });
    const char* status = topic->Attribute("TopicStatus");
    clash.review.status = status != nullptr && std::string_view(status) != "Active" ? status : "";
    clash.review.assignee = text_in(topic, "AssignedTo");
    clash.review.comment = comments_in(markup, topic);
    if (const std::string word = text_in(topic, "Priority"); word != priority_of(clash.kind, clash.thin))
        clash.review.priority = word;
    if (const std::string day = text_in(topic, "DueDate").substr(0, 10); is_day(day)) clash.review.due = day;
    clash.a = text_in(topic, "Title");
    out.clash = std::move(clash);
    return out;
}

/// Sets the parts' paths and GlobalIds if the viewpoint has them. The topic's title stands for the first part
/// otherwise.
void add_parts(const XMLElement* viewpoint, Gone& clash) {
    const XMLElement* components = viewpoint->FirstChildElement("Components");
    const XMLElement* selection = components != nullptr ? components->FirstChildElement("Selection") : nullptr;
    std::vector<std::string> paths, ids;
    if (selection != nullptr)
        for_each_child(selection, "Component", [&](const XMLElement* one) {
            paths.push_back(text_in(one, "AuthoringToolId"));
            const char* id = one->Attribute("IfcGuid");
            ids.emplace_back(id != nullptr ? id : "");
        });
    if (paths.size() != 2 || paths[0].empty() || paths[1].empty()) return;
    clash.a = paths[0];
    clash.b = paths[1];
    clash.id_a = ids[0];
    clash.id_b = ids[1];
}

std::string folder_of(const std::string& name) { return name.substr(0, name.rfind('/') + 1); }

}  // namespace

Result<Baseline> parse_bcf(std::string_view bytes, const std::string& name) {
    const auto wanted = [](std::string_view file) { return file.ends_with("/markup.bcf") || file.ends_with(".bcfv"); };
    Result<std::vector<files::ZipEntry>> entries = files::from_zip(bytes, wanted);
    if (!entries) return Fault{entries.fault().kind, name + ": " + entries.fault().message};
    Baseline out;
    out.has_clashes = true;
    std::map<std::string, std::size_t> clash_of;  // by folder
    std::size_t others = 0;
    for (const bool markups : {true, false})
        for (const files::ZipEntry& entry : *entries) {
            if (entry.name.ends_with("/markup.bcf") != markups) continue;
            const auto known = clash_of.find(folder_of(entry.name));
            if (!markups && known == clash_of.end()) continue;
            tinyxml2::XMLDocument document;
            document.Parse(entry.contents.data(), entry.contents.size());
            if (document.Error() || document.RootElement() == nullptr)
                return Fault{FaultKind::Damaged, fmt::format("{}: {} is not XML", name, entry.name)};
            if (!markups) {
                add_parts(document.RootElement(), out.clashes[known->second]);
                continue;
            }
            TopicText topic = read_topic(document.RootElement());
            others += !topic.clash && !topic.resolved;
            if (!topic.clash) continue;
            clash_of[folder_of(entry.name)] = out.clashes.size();
            out.clashes.push_back(std::move(*topic.clash));
        }
    if (others > 0)
        out.notes.push_back(
            fmt::format("{}: {} topics without a kind of clash among their labels were skipped", name, others));
    return out;
}

}  // namespace graze::checks
