import {readdirSync, realpathSync, statSync} from 'node:fs';
import {join, sep} from 'node:path';
import {readTextFile} from '../config/text-files.ts';
import {parseYamlSource} from '../config/yaml-source.ts';
import {codeOf, messageOf} from '../core/errors.ts';
import {isJsonObject} from '../core/json.ts';
import {orElse} from '../core/or-else.ts';
import type {Tool} from '../core/tool.ts';
import {escapeLine} from '../core/untrusted.ts';
import {visibleText} from '../core/visible-text.ts';

export type Skill = {
	readonly name: string;
	readonly description: string;
	/** The text after the front matter. */
	readonly body: string;
};

/** The result of reading a skill's folder. All texts except the skill's own are cleaned. */
export type ReadSkill = {
	readonly name: string;
	/** Size of `SKILL.md`. */
	readonly bytes?: number;
} & (
	| {readonly ok: true; readonly skill: Skill; readonly warnings: readonly string[]}
	/** `isMissing`: no folder has this name. */
	| {readonly ok: false; readonly problem: string; readonly isMissing?: true}
);

const maxFileBytes = 1024 * 1024;

/** Maximum length, characters. The fields of the format take less than 4,000. */
const maxFrontMatter = 16_384;

/** Maximum length of a description by the format, characters. */
const maxDescription = 1024;

/** Maximum number of folders that are listed and completed. */
const maxListed = 1000;

/** More permissive than the format (lower case, single hyphens), but excludes anything usable in a path. */
const namePattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

const frontMatter = /^---[ \t]*\r?\n(.*?)(?:^|\r?\n)---[ \t]*(?:\r?\n|$)/s;

/**
 * Reads the skill in `<skillsDir>/<name>/SKILL.md`, or says why not: an invalid name, or a file that is unreadable, larger than 1 MiB, outside of its folder, or without a
 * description. Never throws.
 *
 * @see manual/skills.md, the Agent Skills format
 */
export function readSkill(name: string, skillsDir: string): ReadSkill {
	if (!namePattern.test(name)) {
		return {name, ok: false, problem: 'letters, digits, "-" and "_" make a name'};
	}

	const folder = join(skillsDir, name);
	let bytes: number | undefined;
	try {
		const file = fileIn(folder);
		bytes = statSync(file).size;
		const {ownName, ...parsed} = parseSkill(readTextFile(file, maxFileBytes) ?? '');
		return {
			name,
			bytes,
			ok: true,
			skill: {name, ...parsed},
			warnings: warningsOf(name, ownName, parsed),
		};
	} catch (error) {
		const isMissing = bytes === undefined && codeOf(error) === 'ENOENT';
		return {
			name,
			...(bytes !== undefined && {bytes}),
			ok: false,
			...(isMissing && !isThere(folder)
				? {problem: 'there is no such skill', isMissing: true}
				: {problem: isMissing ? 'its folder has no SKILL.md' : escapeLine(messageOf(error))}),
		};
	}
}

const isThere = (path: string): boolean => statSync(path, {throwIfNoEntry: false}) !== undefined;

/** The folder may be a link made by the person, but its content must not lead to files outside of it, such as `.env`. */
function fileIn(folder: string): string {
	const file = realpathSync(join(folder, 'SKILL.md'));
	if (!file.startsWith(realpathSync(folder) + sep)) {
		throw new Error('its SKILL.md is a link that leads out of the folder');
	}

	return file;
}

function parseSkill(text: string): Omit<Skill, 'name'> & {readonly ownName: unknown} {
	const [whole, yaml] = frontMatter.exec(text) ?? [];
	const fields = yaml === undefined ? undefined : parseFrontMatter(yaml);
	const description = isJsonObject(fields) ? fields['description'] : undefined;
	if (whole === undefined || typeof description !== 'string' || !description.trim()) {
		throw new Error('its front matter has no description');
	}

	return {
		ownName: isJsonObject(fields) ? fields['name'] : undefined,
		description,
		// Hidden characters are made visible: a person who read the file has not seen them.
		body: visibleText(text.slice(whole.length).trim()),
	};
}

function parseFrontMatter(yaml: string): unknown {
	if (yaml.length > maxFrontMatter) {
		throw new Error(`its front matter is longer than ${maxFrontMatter} characters`);
	}

	const asWritten = parseYamlSource(yaml);
	const {value, problems} =
		asWritten.problems.length === 0 ? asWritten : parseYamlSource(quoteColons(yaml));
	const [problem] = problems;
	if (problem) {
		// The line of hyphens precedes it, so lines are off by one.
		throw new Error(`SKILL.md:${problem.line + 1}: ${problem.message}`);
	}

	return value;
}

/** Quotes values with colons: people write `description: Use when: …`, where YAML requires quotes. */
const quoteColons = (yaml: string) =>
	yaml.replaceAll(
		/^([A-Za-z][\w-]*):[ \t]+([^\s"'[{|>&*!#][^\r\n]*:[ \t][^\r\n]*)$/gm,
		(_line, key: string, value: string) => `${key}: ${JSON.stringify(value.trim())}`,
	);

const warningsOf = (
	name: string,
	ownName: unknown,
	{description, body}: Pick<Skill, 'description' | 'body'>,
): readonly string[] => [
	...(ownName === name ? [] : ['it calls itself something else in its front matter']),
	...(description.length > maxDescription
		? [`its description is longer than ${maxDescription} characters`]
		: []),
	...(body === '' ? ['nothing follows its front matter'] : []),
];

/** The names of the folders in `skillsDir`, sorted: at most 1,000, none that begins with a dot. Empty if it cannot be listed. */
export const skillNames = (skillsDir: string): readonly string[] =>
	orElse(
		() =>
			readdirSync(skillsDir, {withFileTypes: true})
				.filter(
					entry =>
						!entry.name.startsWith('.') &&
						(entry.isDirectory() ||
							(entry.isSymbolicLink() && isFolder(join(skillsDir, entry.name)))),
				)
				.map(({name}) => name)
				.toSorted()
				.slice(0, maxListed),
		[],
	);

const isFolder = (link: string): boolean => orElse(() => statSync(link).isDirectory(), false);

/** The first `most` existing skills of `names`, in order. `problems`: a clean sentence for each that was skipped or has a flaw. */
export function findSkills(
	names: readonly string[],
	{skillsDir, most}: {readonly skillsDir: string; readonly most: number},
): {readonly skills: readonly Skill[]; readonly problems: readonly string[]} {
	const skills: Skill[] = [];
	const problems: string[] = [];
	for (const name of new Set(names)) {
		if (skills.length === most) {
			break;
		}

		const read = readSkill(name, skillsDir);
		const shown = escapeLine(name, 64);
		if (read.ok) {
			skills.push(read.skill);
			problems.push(...read.warnings.map(warning => `Skill "${shown}": ${warning}`));
		} else {
			problems.push(`Skill "${shown}" was skipped: ${read.problem}`);
		}
	}

	return {skills, problems};
}

/** What a chat's model is told about a skill that it may activate. */
export type OfferedSkill = Pick<Skill, 'name' | 'description'>;

/** The skill with its description as one line, limited to the length of the format. */
export const offerOf = ({name, description}: Skill): OfferedSkill => ({
	name,
	description: escapeLine(description.trim().replaceAll(/\s+/g, ' '), maxDescription),
});

/** The tool with which a chat's model reads an offered skill. Files are read when it is called; it gives no other access. @see manual/skills.md#chats */
export const activateSkillTool = (names: readonly string[], skillsDir: string): Tool => ({
	name: 'activate_skill',
	description:
		'Returns the instructions of one of the available skills. Call it before a task that the skill describes.',
	inputSchema: {
		type: 'object',
		properties: {name: {type: 'string', enum: [...names]}},
		required: ['name'],
		additionalProperties: false,
	},
	readOnly: true,
	needsApproval: false,
	async execute(args) {
		const name = isJsonObject(args) ? args['name'] : undefined;
		if (typeof name !== 'string' || !names.includes(name)) {
			return {
				text: `Cannot activate a skill of that name: there are ${names.join(', ')}`,
				isError: true,
			};
		}

		const read = readSkill(name, skillsDir);
		return read.ok
			? {text: `# Skill: ${name}\n\n${read.skill.body}`}
			: {text: `Cannot activate skill "${name}": ${read.problem}`, isError: true};
	},
});
