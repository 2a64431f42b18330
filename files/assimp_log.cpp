// SPDX-License-Identifier: Apache-2.0
#include "assimp_log.hpp"

#include <algorithm>
#include <assimp/DefaultLogger.hpp>
#include <mutex>

#include "text.hpp"

namespace graze::files {

namespace {

/// True when the message says that a corner named a point that does not exist. Assimp takes another point or drops the
/// face.
bool is_bad_index(std::string_view said) {
    return has_any(said, {"out-of-range", "out of range", "out of bounds", "index overflow"}) &&
           !has_any(said, {"aterial", "exture", "Bone", "bone", "UV"});
}

/// True when the error means that a mesh or faces are missing. Other errors are about what does not matter here:
/// materials, animations, unknown chunks.
bool is_damage(std::string_view said) { return has_any(said, {"FBX-DOM", "faces in the header is incorrect"}); }

/// Passes the messages of assimp to the log of the calling thread.
class Listener : public Assimp::Logger {
public:
    static thread_local AssimpLog* said;  // the log of the read that this thread is doing

    /// Listens, unless the program has a logger of its own. Assimp owns the listener, and a logger set later replaces
    /// it.
    static void listen() {
        static std::once_flag once;
        std::call_once(once, [] {
            if (Assimp::DefaultLogger::isNullLogger()) Assimp::DefaultLogger::set(new Listener);
        });
    }

    bool attachStream(Assimp::LogStream*, unsigned) override { return false; }
    bool detachStream(Assimp::LogStream*, unsigned) override { return false; }

protected:
    void OnVerboseDebug(const char*) override {}
    void OnDebug(const char*) override {}
    void OnInfo(const char*) override {}
    void OnWarn(const char* message) override {
        constexpr std::size_t most = 10;
        if (!said) return;
        if (is_bad_index(message)) keep(said->bad_index, message);
        if (has_any(message, {"drop"}) && said->notes.size() < most) said->notes.push_back(one_line(message));
    }
    void OnError(const char* message) override {
        OnWarn(message);
        if (!said) return;
        keep(said->error, message);
        if (is_damage(message)) keep(said->damage, message);
    }

private:
    static void keep(std::string& first, const char* message) {
        if (first.empty()) first = one_line(message);
    }
};

thread_local AssimpLog* Listener::said = nullptr;

}  // namespace

bool has_any(std::string_view text, std::initializer_list<const char*> words) {
    return std::any_of(words.begin(), words.end(), [&](const char* w) { return text.find(w) != text.npos; });
}

AssimpLog::AssimpLog() {
    Listener::listen();
    Listener::said = this;
}

AssimpLog::~AssimpLog() { Listener::said = nullptr; }

}  // namespace graze::files
