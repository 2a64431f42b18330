// SPDX-License-Identifier: Apache-2.0
// The parts of an earlier run among those of this one.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "checks/clash.hpp"

namespace graze::checks {

/// A part as an earlier run named it.
struct EarlierPart {
    const std::string &path, &id, &file;
};

/// Finds the parts of earlier runs. A part with a GlobalId is the part with that GlobalId, whatever its path is. Other
/// parts are found by their paths, with and without the name of their file in front: a run of a single file leaves it
/// out. When none of the GlobalIds of the earlier run is known any more, the program that wrote the files has made new
/// ones, and paths decide. So they do where several parts had one GlobalId.
class PartsNow {
public:
    PartsNow(const Parts& parts, const std::vector<Gone>& earlier);

    std::optional<std::uint32_t> find(const EarlierPart& part) const;

    /// The fate of a part that is not there: it is gone, or it was not read.
    struct Fate {
        State state = State::PartGone;  ///< or `NotChecked`
        std::string why;
    };
    Fate fate(const EarlierPart& part) const;

private:
    std::optional<std::uint32_t> by_path(const std::string& path) const;

    const Parts& parts_;
    std::map<std::string, std::uint32_t> by_path_;
    std::multimap<std::string, std::uint32_t> by_id_;
    std::set<std::string> shared_;  ///< GlobalIds that several parts of the earlier run have; paths decide
    bool ids_hold_ = false;
};

}  // namespace graze::checks
