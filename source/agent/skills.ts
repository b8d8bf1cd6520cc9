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
	/** What follows the front matter. */
	readonly body: string;
};

/** What the folder of a skill holds. Texts other than the skill's own are clean. */
export type ReadSkill = {
	readonly name: string;
	/** Of `SKILL.md`. */
	readonly bytes?: number;
} & (
	| {readonly ok: true; readonly skill: Skill; readonly warnings: readonly string[]}
	/** `isMissing`: no folder has this name. */
	| {readonly ok: false; readonly problem: string; readonly isMissing?: true}
);

const maxFileBytes = 1024 * 1024;

/** Characters. The fields of the format take less than 4,000. */
const maxFrontMatter = 16_384;

/** Characters of a description, by the format. */
const maxDescription = 1024;

/** More folders are neither listed nor completed. */
const maxListed = 1000;

/** Laxer than the format (lower case, single hyphens), but without anything that a path could be made of. */
const namePattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

const frontMatter = /^---[ \t]*\r?\n(.*?)(?:^|\r?\n)---[ \t]*(?:\r?\n|$)/s;

/**
 * The skill in `<skillsDir>/<name>/SKILL.md`, or why there is none: a name that is none, a file that cannot be read, is larger than 1 MiB, lies outside of its
 * folder or has no description. Never throws.
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

/** The folder may be a link of the person's; what came with it must not reach files outside of it, such as `.env`. */
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
		// A person who read the file has not seen what is hidden in it.
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
		// Above it stands the line of hyphens.
		throw new Error(`SKILL.md:${problem.line + 1}: ${problem.message}`);
	}

	return value;
}

/** `description: Use when: …` is what people write; YAML wants quotes there. */
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

/** The names of the folders below `skillsDir`, in the order of the alphabet: at most 1,000, none that begins with a dot. None where it cannot be listed. */
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

/** Those of `names` that are found, in their order, at most `most`; the search ends there. `problems`: a sentence for each that was skipped or has a flaw, clean. */
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

/** What a chat is told of a skill that it may activate. */
export type OfferedSkill = Pick<Skill, 'name' | 'description'>;

/** Its description as one line, as long as the format allows. */
export const offerOf = ({name, description}: Skill): OfferedSkill => ({
	name,
	description: escapeLine(description.trim().replaceAll(/\s+/g, ' '), maxDescription),
});

/** The tool by which the model of a chat reads a skill that it was told of. Files are read when it is called; nothing else becomes possible. @see manual/skills.md#chats */
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
