/** A part of a pattern: any number of characters, or a test of one. */
type Part = '*' | ((character: string) => boolean);

/**
 * Whether `pattern` matches the whole `name`, like Python's `fnmatchcase`: `*` (also across slashes), `?`, `[a-z]`, `[!a-z]`; other characters match themselves.
 * Case-sensitive. A name always matches itself as a pattern. Time is at most pattern length times name length, since only the last `*` is backtracked.
 *
 * @see manual/tool-servers.md#which-tools-a-server-offers
 */
export function matchesGlob(name: string, pattern: string): boolean {
	return name === pattern || matches(Array.from(name), partsOf(Array.from(pattern)));
}

function matches(characters: readonly string[], parts: readonly Part[]): boolean {
	let at = 0;
	let part = 0;
	/** The index of the last `*`, and where its rest was last tried. */
	let star = -1;
	let triedAt = 0;
	while (at < characters.length) {
		const current = parts[part];
		if (current === '*') {
			star = part;
			triedAt = at;
			part += 1;
		} else if (current?.(characters[at] ?? '')) {
			at += 1;
			part += 1;
		} else if (star >= 0) {
			triedAt += 1;
			at = triedAt;
			part = star + 1;
		} else {
			return false;
		}
	}

	return parts.slice(part).every(rest => rest === '*');
}

function partsOf(pattern: readonly string[]): readonly Part[] {
	const parts: Part[] = [];
	for (let index = 0; index < pattern.length; index += 1) {
		const character = pattern[index] ?? '';
		const end = character === '[' ? endOfSet(pattern, index) : -1;
		if (end > 0) {
			parts.push(setOf(pattern.slice(index + 1, end)));
			index = end;
		} else {
			parts.push(partOf(character));
		}
	}

	return parts;
}

const partOf = (wanted: string): Part => {
	if (wanted === '*') {
		return '*';
	}

	return wanted === '?' ? () => true : character => character === wanted;
};

/** The index of the bracket that closes the set; a bracket in first place belongs to the set. -1: it is not a set. */
function endOfSet(pattern: readonly string[], start: number): number {
	const first = start + (pattern[start + 1] === '!' ? 2 : 1);
	return pattern.indexOf(']', first + 1);
}

function setOf(body: readonly string[]): Part {
	const negated = body[0] === '!';
	const members = negated ? body.slice(1) : body;
	const ranges: Array<readonly [from: string, to: string]> = [];
	for (let index = 0; index < members.length; index += 1) {
		const from = members[index] ?? '';
		const to = members[index + 2];
		if (members[index + 1] === '-' && to !== undefined) {
			ranges.push([from, to]);
			index += 2;
		} else {
			ranges.push([from, from]);
		}
	}

	return character => {
		const point = pointOf(character);
		return ranges.some(([from, to]) => pointOf(from) <= point && point <= pointOf(to)) !== negated;
	};
}

const pointOf = (character: string) => character.codePointAt(0) ?? -1;
