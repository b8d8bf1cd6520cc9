import {constants} from 'node:fs';
import {open} from 'node:fs/promises';
import {join} from 'node:path';
import {codeOf} from '../core/errors.ts';
import {isJsonObject} from '../core/json.ts';
import type {Logger} from '../core/log.ts';

export type Skill = {
	readonly name: string;
	readonly description: string;
	/** What follows the front matter. */
	readonly body: string;
};

const maxFileBytes = 1024 * 1024;

/** Laxer than the format (lower case, single hyphens), but without anything that a path could be made of. */
const namePattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

const frontMatter = /^\uFEFF?---[ \t]*\r?\n(.*?)(?:^|\r?\n)---[ \t]*(?:\r?\n|$)/s;

/** Reads at most 1 MiB of a regular file; a pipe would keep `open` waiting, so nothing waits for a writer. */
async function readBounded(path: string): Promise<string> {
	await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
	const stats = await file.stat();
	if (!stats.isFile()) {
		throw new Error('it is not a regular file');
	}

	if (stats.size > maxFileBytes) {
		throw new Error(`it is larger than ${maxFileBytes} bytes`);
	}

	return await file.readFile('utf8');
}

/** `description: Use when: …` is what people write; YAML wants quotes there. */
const quoteColons = (yaml: string) =>
	yaml.replaceAll(
		/^([A-Za-z][\w-]*):[ \t]+([^\s"'[{|>&*!#][^\r\n]*:[ \t][^\r\n]*)$/gm,
		(_line, key: string, value: string) => `${key}: ${JSON.stringify(value.trim())}`,
	);

async function parseFrontMatter(text: string): Promise<unknown> {
	// Its default export, since the bundle gives packages in the old module format nothing else.
	const {default: yaml} = await import('yaml');
	try {
		return yaml.parse(text, {logLevel: 'error'});
	} catch {
		return yaml.parse(quoteColons(text), {logLevel: 'error'});
	}
}

async function parseSkill(text: string): Promise<Omit<Skill, 'name'> & {readonly name: unknown}> {
	const match = frontMatter.exec(text);
	const fields = match ? await parseFrontMatter(match[1] ?? '') : undefined;
	const description = isJsonObject(fields) ? fields['description'] : undefined;
	if (!match || !isJsonObject(fields) || typeof description !== 'string' || !description.trim()) {
		throw new Error('its front matter has no description');
	}

	return {name: fields['name'], description, body: text.slice(match[0].length).trim()};
}

/**
 * The first of `names` that is found as `<skillsDir>/<name>/SKILL.md`; later entries are ignored. `undefined` when none is. A name that is
 * none, a file that cannot be read, is larger than 1 MiB or has no description counts as not found, with a warning.
 *
 * @see manual/routes.md#keys, manual/runs.md#bounds, the Agent Skills format
 */
export async function findSkill(
	names: readonly string[],
	{skillsDir, log}: {readonly skillsDir: string; readonly log: Logger},
): Promise<Skill | undefined> {
	for (const name of names) {
		// oxlint-disable-next-line no-await-in-loop -- the first that is found ends the search
		const skill = await readSkill(name, {skillsDir, log});
		if (skill) {
			return skill;
		}
	}

	return undefined;
}

async function readSkill(
	name: string,
	{skillsDir, log}: {readonly skillsDir: string; readonly log: Logger},
): Promise<Skill | undefined> {
	if (!namePattern.test(name)) {
		log.warn(`Skill "${name}" was skipped: letters, digits, "-" and "_" make a name`);
		return undefined;
	}

	const path = join(skillsDir, name, 'SKILL.md');
	try {
		const {description, body, name: ownName} = await parseSkill(await readBounded(path));
		if (ownName !== name) {
			log.warn(`Skill "${name}" calls itself something else in its front matter`, {path});
		}

		return {name, description, body};
	} catch (error) {
		const missing = codeOf(error) === 'ENOENT';
		const reason = missing ? 'there is no such skill' : String(error);
		log.warn(`Skill "${name}" was skipped: ${reason}`, {path});
		return undefined;
	}
}
