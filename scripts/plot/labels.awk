# labels.awk - writes `labels`: for each directory in `dirs` "policy:parameters, placement" of its manifest, or its own name. And
# `groups`, one line each: the number of the group it belongs to, and a name for that. A group are runs side by side in one
# directory that differ in nothing but the seed, as far as labels tell.

function parent(path)
{
    sub(/\/+$/, "", path)
    sub(/\/[^\/]*$/, "", path)
    return path
}

function basename(path)
{
    sub(/\/+$/, "", path)
    sub(/\/\.$/, "", path)
    sub(/.*\//, "", path)
    return path
}

# The strings and the whole numbers of the outermost JSON object as member[name]; what does not look like JSON is skipped.
function read_manifest(file, member,    text, line, depth, c, name, string, expect)
{
    split("", member)
    while ((getline line < file) > 0)
        text = text line "\n"
    close(file)
    while (match(text, /[][{}:,"]/)) {
        c = substr(text, RSTART, 1)
        text = substr(text, RSTART + 1)
        if (c == "{" || c == "[")
            depth++
        else if (c == "}" || c == "]")
            depth--
        else if (c == "," && depth == 1)
            expect = name = ""
        else if (c == ":" && depth == 1 && name == "") {
            name = string
            if (match(text, /^ *[0-9]+/))
                member[name] = substr(text, RSTART, RLENGTH) + 0
        }
        else if (c == "\"") {
            match(text, /^([^"\\]|\\.)*/)
            string = substr(text, 1, RLENGTH)
            text = substr(text, RLENGTH + 2)
            if (depth == 1 && name != "" && !(name in member))
                member[name] = string
        }
    }
}

BEGIN {
    while ((getline dir < "dirs") > 0) {
        n++
        name[n] = clean(basename(dir))
        read_manifest(dir "/manifest.json", member)
        label[n] = name[n]
        policy = member["policy_text"]        # with its parameters; a plugin goes by its name, not by its path
        if (policy == "" || policy ~ /\//)
            policy = member["policy"]
        if (policy != "")
            label[n] = clean(policy (member["placement"] == "" ? "" : ", " member["placement"]), 60)
        seen[label[n]]++
        parent_of[n] = parent(dir)
        key[n] = parent_of[n] SUBSEP label[n]
        seed = "seed" in member ? member["seed"] : "none"
        twice[key[n]] = twice[key[n]] || (key[n], seed) in seeds
        seeds[key[n], seed] = 1
    }
    for (i = 1; i <= n; i++)        # two runs of one policy: tell them apart by directory
        print label[i] (seen[label[i]] > 1 && label[i] != name[i] ? " (" name[i] ")" : "") > "labels"
    for (i = 1; i <= n; i++) {
        if (twice[key[i]])
            key[i] = i ""
        if (!(key[i] in group)) {
            group[key[i]] = ++groups
            first[groups] = i
            seen_group[label[i]]++
        }
    }
    for (i = 1; i <= n; i++) {
        k = group[key[i]]
        text = label[first[k]]
        if (seen_group[text] > 1)
            text = text " (" (key[i] == i "" ? name[first[k]] : clean(basename(parent_of[first[k]]))) ")"
        print k "\t" text > "groups"
    }
}
