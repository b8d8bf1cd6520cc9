import {existsSync, readdirSync, readFileSync, renameSync} from 'node:fs';
import {join} from 'node:path';
import type {HomePaths} from '../../config/config.ts';
import {editLocks, editLockWaitMs} from '../../config/edited-text.ts';
import type {SharedHome} from '../../config/shared-home.ts';
import {parseSubscriptions} from '../../config/subscriptions.ts';
import {stampOf, readTextFile, type EditedText, maxEditedBytes} from '../../config/text-files.ts';
import type {Clock} from '../../core/clock.ts';
import {messageOf} from '../../core/errors.ts';
import {withFileLock} from '../../core/file-lock.ts';
import {isJsonObject, type JsonValue, parsedJson} from '../../core/json.ts';
import type {Logger} from '../../core/log.ts';
import {orElse} from '../../core/or-else.ts';
import {entriesOf, parseJobs} from '../../schedule/job-file.ts';
import {jobForm, subscriptionForm, type TextForm} from './shared-texts.ts';

type Source = {
	readonly path: string;
	/** Lock to hold while the file is written. */
	readonly lock: string;
	readonly rows: EditedText;
	readonly form: TextForm;
	readonly noun: string;
	/** The text as `form` writes it. @throws SvcError for a file that does not parse */
	readonly normal: (text: string, path: string) => string;
};

const sourcesOf = (paths: HomePaths, shared: SharedHome): readonly Source[] => [
	{
		path: paths.subscriptions,
		lock: join(paths.run, editLocks.subscriptions),
		rows: shared.subscriptions,
		form: subscriptionForm,
		noun: 'Route',
		normal: (text, path) => JSON.stringify(parseSubscriptions(text, path)),
	},
	{
		path: join(paths.cron, 'jobs.json'),
		lock: join(paths.run, editLocks.jobs),
		rows: shared.jobs,
		form: jobForm,
		noun: 'Job',
		normal: (text, path) => JSON.stringify({jobs: entriesOf(parseJobs(text, path))}),
	},
];

/** Imports files of homes into the database. Existing entries stay: if several members have such files, the first import wins, and an old copy never replaces a newer entry. */
export function createFileImport(world: {
	/** The homes of all served profiles, the gateway's own first, with what each shares. */
	readonly profiles: () => readonly HomePaths[];
	readonly clock: Clock;
	readonly log: Logger;
}) {
	const {profiles, clock, log} = world;
	/** Reported failures: for a file the stamp of its state, for a folder the message. */
	const failed = new Map<string, string>();

	const importOne = async (source: Source) => {
		const {path, lock} = source;
		const {stamp, changedAt} = stampOf(path);
		if (changedAt === 0 || failed.get(path) === stamp) {
			return;
		}

		try {
			await withFileLock(lock, async () => takeOver(source), {waitMs: editLockWaitMs, clock});
			failed.delete(path);
		} catch (error) {
			failed.set(path, stamp);
			log.warn(`Cannot import "${path}": ${messageOf(error)}`);
		}
	};

	const takeOver = async (source: Source) => {
		const {path, rows, noun} = source;
		const copied = await copyFile(source, clock);
		if (!copied) {
			return;
		}

		setAside(path);
		log.info(`Imported "${path}" into ${rows.name} and set it aside`, {entries: copied.entries});
		for (const name of copied.kept) {
			log.warn(
				`${noun} "${name}" stays as it is in ${rows.name}: what "${path}" said of it is in the file that was set aside`,
			);
		}
	};

	return {
		/** Imports every existing file of all profiles, then renames it. A failure is logged once per state of the file and retried. Never rejects. */
		async look() {
			for (const paths of profiles()) {
				const {shared} = paths;
				for (const source of shared ? sourcesOf(paths, shared) : []) {
					// oxlint-disable-next-line no-await-in-loop -- one file after the other
					await importOne(source);
				}

				if (shared?.logins) {
					// oxlint-disable-next-line no-await-in-loop -- as above
					await importLogins(paths.mcpTokens, shared.logins).catch((error: unknown) => {
						const said = messageOf(error);
						if (failed.get(paths.mcpTokens) !== said) {
							failed.set(paths.mcpTokens, said);
							log.warn(`Cannot import the logins in "${paths.mcpTokens}": ${said}`);
						}
					});
				}
			}
		},
	};
}

/**
 * Copies the files of a home into rows and leaves the files in place. Resolves with the number of entries by noun.
 *
 * @throws SvcError `subscriptions_broken`, `jobs_broken`, and what `EditedText.edit` throws
 */
export async function copyFiles(
	paths: HomePaths,
	shared: SharedHome,
	{clock}: {readonly clock: Clock},
): Promise<ReadonlyMap<string, number>> {
	const counts = new Map<string, number>();
	for (const source of sourcesOf(paths, shared)) {
		// oxlint-disable-next-line no-await-in-loop -- one file after the other
		const copied = await copyFile(source, clock);
		counts.set(source.form.kind, copied?.entries ?? 0);
	}

	return counts;
}

/** `undefined` for a missing or blank file: an editor that saves in place empties it first. `kept`: entries whose rows differ from the file. */
async function copyFile(
	{path, rows, form, normal}: Source,
	clock: Clock,
): Promise<{readonly entries: number; readonly kept: readonly string[]} | undefined> {
	const text = readTextFile(path, maxEditedBytes) ?? '';
	if (text.trim() === '') {
		return undefined;
	}

	const entries = form.parse(normal(text, path));
	const kept = await rows.edit(present => merge(present, entries, form), {clock});
	return {entries: entries.length, kept};
}

/** Adds the entries whose names are new. `value`: names of existing entries that differ. */
function merge(
	present: string,
	entries: ReadonlyArray<readonly [string, JsonValue]>,
	form: TextForm,
): {readonly text?: string; readonly value: readonly string[]} {
	const before = form.parse(present);
	const known = new Map(before.map(([name, entry]) => [name, JSON.stringify(entry)]));
	const added = entries.filter(([name]) => !known.has(name));
	const value = entries
		.filter(([name, entry]) => (known.get(name) ?? JSON.stringify(entry)) !== JSON.stringify(entry))
		.map(([name]) => name);
	return {value, ...(added.length > 0 && {text: form.format([...before, ...added])})};
}

/** Tokens, client registrations, metadata, and markers of refused client documents. */
const loginFile = /\.(?:json|cimd-off)$/;

const maxLogins = 1000;

/** An existing login of the database is replaced only by a file's newer one: its tokens were renewed there. */
async function importLogins(
	folder: string,
	logins: NonNullable<SharedHome['logins']>,
): Promise<void> {
	for (const file of loginFiles(folder)) {
		const text = readFileSync(join(folder, file), 'utf8');
		const stored = logins.read(file);
		if (stored === undefined || issuedAt(text) > issuedAt(stored)) {
			// oxlint-disable-next-line no-await-in-loop -- one after the other
			await logins.replace(file, text);
		}

		setAside(join(folder, file));
	}
}

/** Seconds since 1970; 0 when absent. */
function issuedAt(text: string): number {
	const value = parsedJson(text);
	const {issued_at: at = 0} = isJsonObject(value) ? value : {};
	return typeof at === 'number' ? at : 0;
}

const loginFiles = (folder: string): readonly string[] =>
	orElse(() => readdirSync(folder, {withFileTypes: true}), [])
		.filter(entry => entry.isFile() && loginFile.test(entry.name))
		.map(({name}) => name)
		.slice(0, maxLogins);

/** Renames a file to `….imported`, with a number where one of that name is there. */
function setAside(path: string): void {
	let aside = `${path}.imported`;
	for (let number = 2; existsSync(aside); number += 1) {
		aside = `${path}.imported-${number}`;
	}

	renameSync(path, aside);
}
