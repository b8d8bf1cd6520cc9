import {readFile, stat, writeFile} from 'node:fs/promises';
import {expect, test} from 'vitest';
import type {ToolServerConfig} from '../../../source/config/tool-server.ts';
import {systemClock} from '../../../source/core/clock.ts';
import {createLogger, type LogRecord} from '../../../source/core/log.ts';
import {
	type CachedServer,
	catalogueFingerprint,
	isFresh,
	openSchemaCache,
} from '../../../source/mcp/catalogue/schema-cache.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';
import {remoteServer} from '../servers/http-server.ts';
import {stdioServer} from '../servers/stdio-server.ts';

const day = 24 * 3_600_000;

const entry = (changes: Partial<CachedServer> = {}): CachedServer => ({
	fingerprint: 'f'.repeat(64),
	savedAt: 1000,
	facts: {
		era: 'legacy',
		version: '2025-11-25',
		serverInfo: 'crm 1.0',
		capabilities: {resources: false, prompts: true},
	},
	tools: [{name: 'search', description: 'Finds', inputSchema: {type: 'object'}}],
	...changes,
});

function openAt(path: string) {
	const records: LogRecord[] = [];
	const log = createLogger({
		clock: systemClock,
		redact: text => text,
		write: record => records.push(record),
	});
	return {cache: openSchemaCache({path, log, clock: systemClock}), records};
}

test('what a server said is there after a restart, in a file for its owner alone', async () => {
	await using home = await temporaryHome();
	const path = home.file('cache/mcp_schema_cache.json');
	const saved = entry({
		ttlMs: 60_000,
		tools: [
			{
				name: 'search',
				title: 'Search',
				inputSchema: {type: 'object', properties: {q: {type: 'string'}}},
				annotations: {readOnlyHint: true},
				_meta: {'example.org/x': 1},
			},
		],
	});
	await openAt(path).cache.put('crm', saved);

	expect(openAt(path).cache.get('crm')).toEqual(saved);
	expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test('two processes that write at once lose nothing', async () => {
	await using home = await temporaryHome();
	const path = home.file('cache.json');
	const [one, two] = [openAt(path).cache, openAt(path).cache];
	const names = Array.from({length: 10}, (_, index) => `server-${index}`);
	await Promise.all(
		names.map(async (name, index) => (index % 2 === 0 ? one : two).put(name, entry())),
	);
	const {cache} = openAt(path);

	expect(names.filter(name => !cache.get(name))).toEqual([]);
});

test.each([
	['no JSON', '{"version": 1, "servers"'],
	['another format', '{"version": 99, "servers": {}}'],
	['no object', '[1, 2]'],
	['servers of another kind', '{"version": 1, "servers": []}'],
	['a null', 'null'],
])('a file that holds %s is ignored, with a warning, and replaced', async (_, text) => {
	await using home = await temporaryHome({'cache.json': text});
	const {cache, records} = openAt(home.file('cache.json'));
	expect(cache.get('crm')).toBeUndefined();
	expect(records.map(({message}) => message)).toEqual(['The cache of tool servers is ignored']);
	await cache.put('crm', entry());

	expect(openAt(home.file('cache.json')).cache.get('crm')).toEqual(entry());
});

test('an entry that is broken, or larger than a server may be, is left out; the others stay', async () => {
	await using home = await temporaryHome();
	const path = home.file('cache.json');
	const tool = {name: 'a', inputSchema: {type: 'object'}};
	const servers = {
		good: entry(),
		broken: {...entry(), facts: {era: 'future'}},
		many: {...entry(), tools: Array.from({length: 5001}, () => tool)},
		large: {...entry(), tools: [{...tool, description: 'x'.repeat(8 * 1024 * 1024)}]},
		strange: {...entry(), tools: [{name: 'a', inputSchema: {type: 'string'}}]},
		__proto__: null,
	};
	await writeFile(path, JSON.stringify({version: 1, servers}));
	const {cache, records} = openAt(path);

	expect(Object.keys(servers).filter(name => cache.get(name))).toEqual(['good']);
	expect(records.map(({fields}) => fields['error'])).toEqual([
		'the entry "broken" is broken',
		'the entry "many" is broken',
		'the entry "large" is broken',
		'the entry "strange" is broken',
	]);
});

test('a cache that cannot be written is a warning; what it knows stays known', async () => {
	await using home = await temporaryHome({cache: 'a file where the folder should be'});
	const {cache, records} = openAt(home.file('cache/mcp_schema_cache.json'));
	await cache.put('crm', entry());

	expect(cache.get('crm')).toEqual(entry());
	expect(records.map(({level}) => level)).toContain('warn');
	expect(await readFile(home.file('cache'), 'utf8')).toBe('a file where the folder should be');
});

const fingerprintWith = (changes: Partial<ToolServerConfig> = {}) =>
	catalogueFingerprint(
		{...stdioServer('crm-server', ['--all']), ...changes},
		{elicitation: {form: {}}},
	);

/** @see manual/tool-servers.md#states: "same fingerprint of {command, args, url, transport, tools, protocol, our capabilities}" */
test.each<[string, Partial<ToolServerConfig>]>([
	['command', {endpoint: {transport: 'stdio', command: 'other', args: ['--all'], env: {}}}],
	['args', {endpoint: {transport: 'stdio', command: 'crm-server', args: [], env: {}}}],
	['url', {endpoint: remoteServer('http://127.0.0.1:1/mcp').endpoint}],
	['tools', {tools: {include: ['a'], exclude: [], resources: true, prompts: true}}],
	['protocol', {protocol: 'stateless'}],
])('the fingerprint is another one with another %s', (_, changes) => {
	expect(fingerprintWith(changes)).not.toBe(fingerprintWith());
});

test('the fingerprint is another one when we declare something else, or the transport is another', () => {
	const server = stdioServer('crm-server');
	const {endpoint} = remoteServer('http://127.0.0.1:1/mcp');

	expect(catalogueFingerprint(server, {})).not.toBe(catalogueFingerprint(server, {sampling: {}}));
	expect(fingerprintWith({endpoint})).not.toBe(
		fingerprintWith({endpoint: {...endpoint, transport: 'sse'}}),
	);
});

test('what does not change the list does not change the fingerprint', () => {
	expect(fingerprintWith({timeoutMs: 1, lazy: true, keepaliveMs: 5000})).toBe(fingerprintWith());
});

test.for([
	['of now', {}, 0, true],
	['of 7 days, of which the server said nothing', {}, 7 * day, true],
	['older than 7 days', {}, 7 * day + 1, false],
	['within the time that the server said', {ttlMs: 60_000}, 60_000, true],
	['older than the server said', {ttlMs: 60_000}, 60_001, false],
	['older than 30 days, whatever the server said', {ttlMs: 365 * day}, 31 * day, false],
	['of the future', {}, -1, false],
] as const)('a list %s: fresh or not', ([, changes, age, fresh]) => {
	const saved = entry(changes);

	expect(isFresh(saved, {now: saved.savedAt + age, expected: saved.fingerprint})).toBe(fresh);
	expect(isFresh(saved, {now: saved.savedAt + age, expected: 'other'})).toBe(false);
});
