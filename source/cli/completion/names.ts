import {readdirSync, readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import type {Command} from 'commander';
import type {HomePaths} from '../../config/config.ts';
import type {Environment} from '../../config/environment.ts';
import {basePaths, homePaths, namePattern, profilesFolder} from '../../config/home-paths.ts';
import {isJsonObject, type JsonValue} from '../../core/json.ts';
import {conversationName} from '../../core/origin.ts';
import {escapeLine} from '../../core/untrusted.ts';
import type {Writer} from '../../store/conversation-rules.ts';
import type {StoreReader} from '../../store/reader-port.ts';
import type {Context} from '../console/context.ts';
import {type Candidate, completeWords, type CompletedNoun} from './complete.ts';

/** How many numbered items are offered. */
const newest = 50;

/** Larger files are not read. */
const maxBytes = 4 * 1024 * 1024;

/** The time limit for the gateway's answer, in milliseconds. */
const silenceMs = 1000;

/** A home, with the variables that its configuration may reference. */
type NamedHome = HomePaths & {readonly environment?: Environment};

type Naming = (paths: NamedHome) => Promise<readonly Candidate[]>;

/** Names from the journal: `list` reads the items, `tells` returns an item's value and description. */
const inJournal =
	<Item>(
		list: (reader: StoreReader) => Promise<readonly Item[]>,
		tells: (item: Item) => readonly [value: number | string, says: string],
	): Naming =>
	async ({environment = {}, ...paths}) => {
		const {readStore} = await import('../../store/open-store.ts');
		const {readStorePlace} = await import('../../config/store-place.ts');
		const place = await readStorePlace(paths, environment);
		await using reader = await readStore(place, {leavesNothing: true});
		return (await list(reader)).map(item => {
			const [value, says] = tells(item);
			return {value: String(value), says};
		});
	};

/** Values derived from the people who last wrote on platforms, without duplicates. */
const writersAs = (valueOf: (writer: Writer) => string): Naming =>
	inJournal(
		async ({conversations}) => {
			const writers = await conversations.writers();
			return [...new Map(writers.map(one => [valueOf(one), one])).values()].slice(0, newest);
		},
		writer => [valueOf(writer), writer.name ?? ''],
	);

const settledApprovals = inJournal(
	async ({approvals}) => approvals.settled({limit: newest}),
	({id}) => [id, 'settled'],
);

const rulesInJournal = inJournal(
	async ({approvals}) => approvals.rules(),
	({id, tool}) => [id, tool],
);

/** Where each noun's names come from: files, read without validation, or the journal. Code is loaded only for the noun needed. An unreadable file yields no names. */
const namings: Readonly<Record<Exclude<CompletedNoun, 'file'>, Naming>> = {
	async route(paths) {
		const {routesPlace} = await import('../../config/profiles.ts');
		const config = await configOf(paths);
		return [
			...membersAt(config, routesPlace(config)).map(value => ({value, says: 'config.yaml'})),
			...Object.entries(jsonObject(paths.subscriptions)).map(([value, entry]) => ({
				value,
				says: wordOf(entry, 'description') || 'route',
			})),
		];
	},
	server: async paths => membersAt(await configOf(paths), ['mcp_servers']).map(value => ({value})),
	async job({cron}) {
		const file = jsonOf(join(cron, 'jobs.json'));
		const entries = isJsonObject(file) ? file['jobs'] : file;
		return (Array.isArray(entries) ? entries : []).flatMap((entry: JsonValue) => {
			const [id, name] = [wordOf(entry, 'id'), wordOf(entry, 'name')];
			return [
				...(name === '' ? [] : [{value: name, says: id}]),
				...(id === '' ? [] : [{value: id, says: name}]),
			];
		});
	},
	async skill({skills}) {
		const {skillNames} = await import('../../agent/skills.ts');
		return skillNames(skills).map(value => ({value}));
	},
	async profile(paths) {
		const folder = profilesFolder((basePaths(paths) ?? paths).home);
		return readdirSync(folder, {withFileTypes: true})
			.filter(entry => entry.isDirectory() && namePattern.test(entry.name))
			.map(({name}) => ({value: name}));
	},
	async target() {
		const {targetKinds} = await import('../../platforms/platforms.ts');
		return targetKinds.map(({kind}) => ({value: kind}));
	},
	async platform() {
		const {platformKinds} = await import('../../platforms/platforms.ts');
		return platformKinds.map(({kind, title}) => ({value: kind, ...(title && {says: title})}));
	},
	delivery: inJournal(
		async ({journal}) => journal.list({limit: newest}),
		({id, route, event, outcome}) => [id, `${route} ${event} ${outcome}`],
	),
	run: inJournal(
		async ({runs}) => runs.list({limit: newest}),
		({id, route, state}) => [id, [route, state].join(' ').trim()],
	),
	group: inJournal(
		async ({groups}) => groups.list({limit: newest}),
		({id, route, key}) => [id, `${route} ${key}`],
	),
	// Only the gateway knows what waits.
	approval: async paths => [
		...(await ask(paths, '/v1/approvals')).map(entry => ({
			value: numberOf(entry),
			says: `${wordOf(isJsonObject(entry) ? entry['tool'] : undefined, 'tool') || 'a form'} waits`,
		})),
		...(await settledApprovals(paths)),
	],
	async rule(paths) {
		const live = await ask(paths, '/v1/approval-rules');
		return live.length > 0
			? live.map(entry => ({value: numberOf(entry), says: wordOf(entry, 'tool')}))
			: rulesInJournal(paths);
	},
	key: inJournal(
		async ({keys}) => (await keys.list()).filter(({revokedAt}) => revokedAt === undefined),
		({id, name, secrets}) => [id, name || (secrets[0]?.hint ?? '')],
	),
	session: inJournal(
		async ({sessions}) => sessions.list({limit: newest}),
		({id, title}) => [id, title],
	),
	chat: writersAs(({platform, chat, thread}) =>
		conversationName({platform, chat, ...(thread !== undefined && {thread})}),
	),
	writer: writersAs(({platform, user}) => `${platform}:${user}`),
	async topic() {
		const {manualTopics} = await import('../manual/read-page.ts');
		return manualTopics().map(value => ({value, says: 'page of the manual'}));
	},
	async code() {
		const {errorCodes} = await import('../../manual/error-codes.ts');
		return Object.keys(errorCodes).map(value => ({value}));
	},
};

/** The names of a noun; empty if unreadable. Never rejects, writes nothing. */
export async function namesForCompletion(
	noun: Exclude<CompletedNoun, 'file'>,
	paths: HomePaths,
	environment: Environment = {},
): Promise<readonly Candidate[]> {
	try {
		return await namings[noun]({...paths, environment});
	} catch {
		return [];
	}
}

async function configOf({config}: HomePaths): Promise<unknown> {
	const {parseYamlSource} = await import('../../config/yaml-source.ts');
	return parseYamlSource(textOf(config)).value;
}

function membersAt(value: unknown, path: ReadonlyArray<string | number>): readonly string[] {
	let found = value;
	for (const key of path) {
		found = isJsonObject(found) ? found[key] : undefined;
	}

	return isJsonObject(found) ? Object.keys(found) : [];
}

/** A list from the running gateway; empty if none runs. */
async function ask({socket}: HomePaths, path: string): Promise<readonly JsonValue[]> {
	const {callControl} = await import('../../gateway/control/control-client.ts');
	const answer = await callControl(socket, path, {silenceMs}).catch(() => undefined);
	return Array.isArray(answer) ? answer : [];
}

const wordOf = (entry: JsonValue | undefined, key: string): string => {
	const word = isJsonObject(entry) ? entry[key] : undefined;
	return typeof word === 'string' ? word : '';
};

const numberOf = (entry: JsonValue): string =>
	isJsonObject(entry) && typeof entry['id'] === 'number' ? String(entry['id']) : '';

const jsonObject = (path: string) => {
	const value = jsonOf(path);
	return isJsonObject(value) ? value : {};
};

function jsonOf(path: string): JsonValue {
	const value: JsonValue = JSON.parse(textOf(path) || 'null');
	return value;
}

const textOf = (path: string): string =>
	(statSync(path, {throwIfNoEntry: false})?.size ?? maxBytes) < maxBytes
		? readFileSync(path, 'utf8')
		: '';

/** Tells the scripts to complete a file name; no name of ours begins like this. */
export const fileMark = ':file';

const maxSays = 60;

/**
 * Prints the completions of the last of `words`, one per line: the whole word, a tab, its description. Prints nothing else, even on errors, and writes no files,
 * because it answers a key press.
 */
export async function printCandidates(
	context: Context,
	program: Command,
	words: readonly string[],
): Promise<void> {
	try {
		const {begun, before, candidates, noun} = completeWords(program, words.map(unquoted));
		if (noun === 'file') {
			context.stdout.write(`${fileMark}\n`);
			return;
		}

		const names = noun
			? await namesForCompletion(
					noun,
					homePaths({environment: context.environment, profile: profileIn(words)}),
					context.environment,
				)
			: [];
		const found = new Map(
			[...candidates, ...names]
				.filter(({value}) => value.startsWith(begun) && isPrintable(value))
				.toReversed()
				.map(candidate => [candidate.value, candidate]),
		);
		context.stdout.write(
			[...found.values()]
				.toReversed()
				.map(candidate => lineOf(candidate, before))
				.join(''),
		);
	} catch {
		// No completions.
	}
}

/** The profile named by the words, whose data are read. */
function profileIn(words: readonly string[]): string | undefined {
	const at = words.findIndex(word => word === '-p' || word === '--profile');
	const inline = words.find(word => word.startsWith('--profile='));
	const named = inline?.slice('--profile='.length) ?? (at === -1 ? undefined : words[at + 1]);
	// A name still being written does not count.
	return named === '' || named === words.at(-1) ? undefined : named;
}

/** A word without its shell quoting, as far as a beginning allows. */
const unquoted = (word: string): string =>
	/^['"]/.test(word) ? word.slice(1).replace(/['"]$/, '') : word.replaceAll(/\\(.)/gs, '$1');

/** Leaves out names with control characters or line breaks. */
const isPrintable = (value: string): boolean =>
	value !== '' && escapeLine(value, Infinity) === value;

const lineOf = ({value, says = ''}: Candidate, before: string): string =>
	`${before}${value}${says === '' ? '' : `\t${escapeLine(says, maxSays)}`}\n`;
