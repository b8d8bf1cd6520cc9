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
import {type Candidate, complete, type Noun} from './complete.ts';

/** How many of what has numbers. */
const newest = 50;

/** A larger file is not read for a completion. */
const maxBytes = 4 * 1024 * 1024;

/** How long a gateway may take to say what waits, milliseconds. */
const silenceMs = 1000;

/** A home, and the variables that its configuration may name. */
type NamedHome = HomePaths & {readonly environment?: Environment};

type Naming = (paths: NamedHome) => Promise<readonly Candidate[]>;

/**
 * Where the names of each noun are read: from files, without the checks of the program, and from the journal. What a name needs is loaded with it. A file that cannot be
 * read has no names.
 */
const namings: Readonly<Record<Exclude<Noun, 'file'>, Naming>> = {
	async route(paths) {
		const {routesPlace} = await import('../../config/routes-place.ts');
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
	delivery: async paths =>
		fromJournal(paths, async ({journal}) =>
			(await journal.list({limit: newest})).map(({id, route, event, outcome}) => ({
				value: id,
				says: `${route} ${event} ${outcome}`,
			})),
		),
	run: async paths =>
		fromJournal(paths, async ({runs}) =>
			(await runs.list({limit: newest})).map(({id, route, state}) => ({
				value: String(id),
				says: [route, state].join(' ').trim(),
			})),
		),
	group: async paths =>
		fromJournal(paths, async ({groups}) =>
			(await groups.list({limit: newest})).map(({id, route, key}) => ({
				value: String(id),
				says: `${route} ${key}`,
			})),
		),
	// What waits is known to the gateway alone.
	approval: async paths => [
		...(await ask(paths, '/v1/approvals')).map(entry => ({
			value: numberOf(entry),
			says: `${wordOf(isJsonObject(entry) ? entry['tool'] : undefined, 'tool') || 'a form'} waits`,
		})),
		...(await fromJournal(paths, async ({approvals}) =>
			(await approvals.settled({limit: newest})).map(({id}) => ({
				value: String(id),
				says: 'settled',
			})),
		)),
	],
	async rule(paths) {
		const live = await ask(paths, '/v1/approval-rules');
		return live.length > 0
			? live.map(entry => ({value: numberOf(entry), says: wordOf(entry, 'tool')}))
			: fromJournal(paths, async ({approvals}) =>
					(await approvals.rules()).map(({id, tool}) => ({value: String(id), says: tool})),
				);
	},
	key: async paths =>
		fromJournal(paths, async ({keys}) =>
			(await keys.list())
				.filter(({revokedAt}) => revokedAt === undefined)
				.map(({id, name, secrets}) => ({value: id, says: name || (secrets[0]?.hint ?? '')})),
		),
	session: async paths =>
		fromJournal(paths, async ({sessions}) =>
			(await sessions.list({limit: newest})).map(({id, title}) => ({value: id, says: title})),
		),
	chat: async paths =>
		writersOf(paths, ({platform, chat, thread}, name) => ({
			value: conversationName({platform, chat, ...(thread !== undefined && {thread})}),
			...(name !== undefined && {says: name}),
		})),
	writer: async paths =>
		writersOf(paths, ({platform, user}, name) => ({
			value: `${platform}:${user}`,
			...(name !== undefined && {says: name}),
		})),
	async topic() {
		const {manualTopics} = await import('../manual/read-page.ts');
		return manualTopics().map(value => ({value, says: 'page of the manual'}));
	},
	async code() {
		const {errorCodes} = await import('../../manual/error-codes.ts');
		return Object.keys(errorCodes).map(value => ({value}));
	},
};

/** The names of a noun; none where they cannot be read. Never rejects, writes nothing. */
export async function namesOf(
	noun: Exclude<Noun, 'file'>,
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

async function fromJournal(
	{environment = {}, ...paths}: NamedHome,
	read: (reader: StoreReader) => Promise<readonly Candidate[]>,
): Promise<readonly Candidate[]> {
	const [{readStore}, {readStorePlace}] = await Promise.all([
		import('../../store/open-store.ts'),
		import('../../config/store-place.ts'),
	]);
	const place = await readStorePlace(paths, environment);
	await using reader = await readStore(place, {leavesNothing: true});
	return await read(reader);
}

/** What those who wrote last on platforms stand for, each once. */
const writersOf = async (
	paths: NamedHome,
	candidateOf: (writer: Writer, name: string | undefined) => Candidate,
): Promise<readonly Candidate[]> =>
	fromJournal(paths, async ({conversations}) => {
		const all = (await conversations.writers()).map(one => candidateOf(one, one.name));
		return [...new Map(all.map(one => [one.value, one])).values()].slice(0, newest);
	});

/** A list of the running gateway; empty when there is none. */
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

/** What the scripts take as "a file is wanted here": no name of ours begins so. */
export const fileMark = ':file';

const maxSays = 60;

/**
 * Prints what may complete the last of `words`, a line each: the whole word, a tab, what it is. Says nothing else, whatever goes wrong, and writes nothing: it answers
 * a key press.
 */
export async function printCandidates(
	context: Context,
	program: Command,
	words: readonly string[],
): Promise<void> {
	try {
		const {begun, before, candidates, noun} = complete(program, words.map(unquoted));
		if (noun === 'file') {
			context.stdout.write(`${fileMark}\n`);
			return;
		}

		const names = noun
			? await namesOf(
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
		// Nothing to offer.
	}
}

/** The profile that the words name, which counts for what is read. */
function profileIn(words: readonly string[]): string | undefined {
	const at = words.findIndex(word => word === '-p' || word === '--profile');
	const inline = words.find(word => word.startsWith('--profile='));
	const named = inline?.slice('--profile='.length) ?? (at === -1 ? undefined : words[at + 1]);
	// What is being written is no name yet.
	return named === '' || named === words.at(-1) ? undefined : named;
}

/** A word as the program would get it, as far as a beginning can tell. */
const unquoted = (word: string): string =>
	/^['"]/.test(word) ? word.slice(1).replace(/['"]$/, '') : word.replaceAll(/\\(.)/gs, '$1');

/** A name that a terminal might obey, or that would be two lines, is not offered. */
const isPrintable = (value: string): boolean =>
	value !== '' && escapeLine(value, Infinity) === value;

const lineOf = ({value, says = ''}: Candidate, before: string): string =>
	`${before}${value}${says === '' ? '' : `\t${escapeLine(says, maxSays)}`}\n`;
