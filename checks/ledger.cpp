// SPDX-License-Identifier: Apache-2.0
#include "checks/ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "checks/clash.hpp"
#include "checks/json.hpp"
#include "files/text.hpp"

namespace graze::checks {

namespace {

/// `1,234`
std::string with_commas(std::uint64_t n) {
    std::string digits = fmt::to_string(n);
    for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
    return digits;
}

std::string count_of(std::uint64_t n, const char* one, const char* many) {
    return with_commas(n) + " " + (n == 1 ? one : many);
}

std::string range_of(double least, double most) {
    return least == most ? fmt::format("{:.3g}", most) : fmt::format("{:.3g} to {:.3g}", least, most);
}

/// The largest coordinate of a part in the world.
double largest_coordinate(const Parts& parts, const Part& part) {
    const Bounds box = parts.model_box(part.model);
    double reach = 0;
    for (int corner = 0; corner < 8 && !box.empty(); ++corner) {
        Vec3 p = box.lo;
        for (int d = 0; d < 3; ++d)
            if ((corner >> d & 1) != 0) p[d] = box.hi[d];
        const Vec3 at = part.world_from_model(p);
        reach = std::max({reach, std::abs(at.x), std::abs(at.y), std::abs(at.z)});
    }
    return reach;
}

Json json_of_length(const GivenLength& length) {
    return {{"length", length.value}, {"source", length.given ? "given" : "default"}};
}

std::string open_in_words(const Ledger& ledger, const char* one, const char* many) {
    std::vector<std::string> names;
    for (const std::string& path : ledger.open) names.push_back(path.substr(path.rfind('/') + 1));
    return fmt::format("{}, and nothing is found inside {}: {}", count_of(names.size(), one, many),
                       names.size() == 1 ? "it" : "them", some_of(names));
}

}  // namespace

std::string some_of(const std::vector<std::string>& names) {
    constexpr std::size_t shown = 5;
    std::string out;
    const std::size_t count = names.size() <= shown + 1 ? names.size() : shown;
    for (std::size_t i = 0; i < count; ++i) out += (i == 0 ? "" : ", ") + files::printable(names[i]);
    return count < names.size() ? out + " and " + with_commas(names.size() - count) + " others" : out;
}

std::uint64_t Ledger::asked() const {
    std::uint64_t left = pairs.value_or(0);
    for (const NotAsked& some : not_asked) left -= std::min(left, some.pairs);
    return left;
}

std::vector<std::string> Ledger::not_reached() const {
    std::vector<std::string> out;
    for (const NotAsked& some : not_asked)
        if (some.gap && some.pairs > 0) out.push_back(count_of(some.pairs, "pair", "pairs") + " " + some.why);
    return out;
}

std::vector<std::string> Ledger::doubts() const {
    std::vector<std::string> out;
    if (!open.empty()) out.push_back(open_in_words(*this, "part is open", "parts are open"));
    out.insert(out.end(), unlike.begin(), unlike.end());
    if (files > 1 && unitless == files) out.push_back(fmt::format("none of the {} files states its unit", files));
    return out;
}

std::vector<std::string> Ledger::gaps() const {
    std::vector<std::string> out;
    if (left_out > 0) out.push_back(count_of(left_out, "file or part is", "files or parts are") + " left out");
    std::ranges::move(not_reached(), std::back_inserter(out));
    std::ranges::move(doubts(), std::back_inserter(out));
    return out;
}

std::vector<std::string> Ledger::errors() const {
    std::vector<std::string> out = not_reached();
    if (everything) std::ranges::move(doubts(), std::back_inserter(out));
    return out;
}

void Ledger::add_file(const files::Conventions& conventions) {
    ++files;
    unitless += !(conventions.metres > 0);
}

void Ledger::add_part(const std::string& path, bool is_open, std::optional<double> error, bool counts_as_simplified) {
    if (error) {
        least_error = std::min(least_error.value_or(*error), *error);
        most_error = std::max(most_error.value_or(*error), *error);
    }
    ++meshed;
    if (is_open) open.push_back(path);
    simplified += counts_as_simplified;
}

void Ledger::add_left_out(const std::vector<LeftOut>& list) {
    left_out += list.size();
    unmeshed += static_cast<std::size_t>(
        std::ranges::count_if(list, [](const LeftOut& l) { return !l.product.empty() && !l.partly; }));
}

bool is_simplified(double error, bool curved, const files::Conventions& conventions, const files::ReadOptions& reading,
                   double largest_coordinate) {
    // 10 µm is the precision of IFC files that state none.
    constexpr double precise = 1.1e-5;
    return curved || (conventions.metres > 0 && error > precise * reading.scale + 0x1p-22 * largest_coordinate);
}

Ledger ledger_of(const Parts& parts, const Clashes& clashes, const Rules& rules, const LedgerSettings& settings) {
    Ledger out;
    for (const files::FileConventions& file : parts.files)
        if (!file.path.empty()) out.add_file(file.conventions);
    auto open = clashes.open.begin();
    for (std::uint32_t i = 0; i < parts.parts.size(); ++i) {
        const Part& part = parts.parts[i];
        const bool is_open = open != clashes.open.end() && *open == i;
        open += is_open;
        const files::Conventions stated =
            part.file < parts.files.size() ? parts.files[part.file].conventions : files::Conventions();
        out.add_part(part.path, is_open, settings.error.value_or(part.error),
                     is_simplified(part.error, part.curved, stated, settings.reading, largest_coordinate(parts, part)));
    }
    out.add_left_out(parts.left_out);
    out.error_given = settings.error.has_value();
    out.unlike = files::differences(parts.files, settings.reading);
    const std::uint64_t n = parts.parts.size();
    out.pairs = n * (n - (n > 0)) / 2;
    const auto leave = [&](const char* why, std::uint64_t pairs, bool gap = false) {
        if (pairs > 0) out.not_asked.push_back({why, pairs, gap});
    };
    leave("not chosen by between", *out.pairs - WantedPairs(parts, rules).count(n));
    leave("ignored by rules", clashes.ignored.size());
    leave("not reached before the check was stopped", clashes.unchecked, true);
    out.tolerance = {settings.tolerance, settings.tolerance > 0};
    out.clearance = {settings.clearance, settings.clearance > 0};
    out.everything = settings.everything;
    out.metres = in_metres(parts, settings.reading.scale);
    return out;
}

Json entry_of(const LeftOut& one) {
    Json out{{"file", json_text(one.file)}};
    if (!one.product.empty()) out["product"] = json_text(one.product);
    if (!one.id.empty()) out["id"] = json_text(one.id);
    out["reason"] = json_text(one.reason);
    return out;
}

Json json_of(const Ledger& ledger) {
    Json out{{"files", ledger.files},
             {"parts",
              {{"read", ledger.meshed + ledger.unmeshed},
               {"meshed", ledger.meshed},
               {"open", ledger.open.size()},
               {"simplified", ledger.simplified}}},
             {"left_out", ledger.left_out}};
    if (ledger.pairs) {
        Json not_asked = Json::array();
        for (const NotAsked& some : ledger.not_asked)
            not_asked.push_back({{"reason", json_text(some.why)}, {"pairs", some.pairs}});
        out["pairs"] = {{"all", *ledger.pairs}, {"asked", ledger.asked()}, {"not_asked", std::move(not_asked)}};
    }
    if (ledger.most_error)
        out["accuracy"] = {{"least_error", *ledger.least_error},
                           {"error", *ledger.most_error},
                           {"source", ledger.error_given ? "given" : "files"}};
    if (ledger.tolerance) out["tolerance"] = json_of_length(*ledger.tolerance);
    if (ledger.clearance) out["clearance"] = json_of_length(*ledger.clearance);
    Json& open = out["open_parts"] = Json::array();
    for (const std::string& path : ledger.open) open.push_back(json_text(path));
    Json& gaps = out["gaps"] = Json::array();
    for (const std::string& one : ledger.gaps()) gaps.push_back(json_text(one));
    return out;
}

std::vector<std::pair<std::string, std::string>> rows_of(const Ledger& ledger) {
    std::vector<std::pair<std::string, std::string>> out;
    const auto add = [&](std::string name, std::string value) { out.emplace_back(std::move(name), std::move(value)); };
    add("files", fmt::to_string(ledger.files));
    add("parts read", fmt::to_string(ledger.meshed + ledger.unmeshed));
    add("parts meshed", fmt::to_string(ledger.meshed));
    add("open parts", fmt::to_string(ledger.open.size()));
    add("simplified parts", fmt::to_string(ledger.simplified));
    add("left out", fmt::to_string(ledger.left_out));
    if (ledger.pairs) add("pairs", fmt::to_string(*ledger.pairs));
    if (ledger.pairs) add("pairs checked", fmt::to_string(ledger.asked()));
    for (const NotAsked& some : ledger.not_asked) add("pairs " + some.why, fmt::to_string(some.pairs));
    if (ledger.most_error)
        add("accuracy",
            range_of(*ledger.least_error, *ledger.most_error) + (ledger.error_given ? ", given" : ", by the files"));
    if (ledger.tolerance && ledger.tolerance->given) add("tolerance", fmt::format("{:.6g}", ledger.tolerance->value));
    if (ledger.clearance && ledger.clearance->given) add("clearance", fmt::format("{:.6g}", ledger.clearance->value));
    return out;
}

std::string text_of(const Ledger& ledger) {
    std::string out;
    const auto line = [&](const std::string& text) { out += text + "\n"; };
    if (ledger.pairs) {
        std::string text = fmt::format("Checked: {}", count_of(ledger.asked(), "pair", "pairs"));
        if (ledger.asked() < *ledger.pairs)
            text = fmt::format("Checked: {} of {} pairs", with_commas(ledger.asked()), with_commas(*ledger.pairs));
        for (const NotAsked& some : ledger.not_asked) text += fmt::format("; {} {}", with_commas(some.pairs), some.why);
        line(text);
    }
    if (!ledger.open.empty()) line("Open: " + open_in_words(ledger, "part", "parts"));
    if (ledger.simplified > 0)
        line(fmt::format("Simplified: {}, by triangles within {:.3g}{} of curves, fillets and cuts",
                         count_of(ledger.simplified, "part", "parts"),
                         ledger.most_error.value_or(0) * (ledger.metres ? 1000 : 1), ledger.metres ? " mm" : ""));
    if (ledger.left_out > 0)
        line(fmt::format("Left out: {}", count_of(ledger.left_out, "file or part", "files or parts")));
    return out;
}

}  // namespace graze::checks
