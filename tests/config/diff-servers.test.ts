import {expect, test} from 'vitest';
import {diffConfig, diffServer, diffServers} from '../../source/config/diff-config.ts';
import {programSettings, remoteSettings} from '../../source/config/endpoint-settings.ts';
import {serverSettings} from '../../source/config/tool-server-settings.ts';
import {configOf, createTemporaryHome} from './temporary-home.ts';

const configWith = (servers: string, environment: Record<string, string> = {}) => {
	using home = createTemporaryHome();
	return configOf(home.load({config: `mcp_servers: {${servers}}`}, {environment}));
};

const diff = (before: string, after: string) =>
	diffServers(configWith(before).toolServers, configWith(after).toolServers);

const serverOf = (entry: string) => {
	const server = configWith(`a: {${entry}}`).toolServers.get('a');
	if (!server) {
		throw new Error(`"${entry}" is no server`);
	}

	return server;
};

test('"unchanged connections stay, changed reconnect, removed close"', () => {
	expect(
		diff(
			'a: {command: a}, b: {command: b}, c: {command: c}',
			'd: {command: d}, c: {command: c}, b: {command: b, timeout: 5, tools: {include: x}}',
		),
	).toEqual({
		added: ['d'],
		removed: ['a'],
		changed: [{name: 'b', keys: ['timeout', 'tools.include']}],
		unchanged: ['c'],
	});
});

test('what is written in another way is the same', () => {
	expect(
		diff(
			'a: {command: a, args: "x y", lifecycle: {idle_timeout_seconds: 5}, trust: full}',
			'a: {idle_timeout_seconds: 5, args: [x, y], command: a, timeout: 300}',
		).unchanged,
	).toEqual(['a']);
	expect(
		diffServers(
			configWith('a: {url: "${U}"}', {U: 'http://a'}).toolServers,
			configWith('a: {url: "${U}"}', {U: 'http://b'}).toolServers,
		).unchanged,
	).toEqual(['a']);
});

/** Keys as in the file, what is written before and after; whether the change needs a new connection. */
const examples = [
	['command', 'command: x', 'command: y', 'reconnects'],
	['args', 'command: x', 'command: x, args: [y]', 'reconnects'],
	['env', 'command: x', 'command: x, env: {A: b}', 'reconnects'],
	['sandbox', 'command: x', 'command: x, sandbox: true', 'reconnects'],
	['sandbox', 'command: x, sandbox: true', 'command: x, sandbox: {write: [/srv]}', 'reconnects'],
	['url', 'url: http://x', 'url: http://y', 'reconnects'],
	['headers', 'url: http://x', 'url: http://x, headers: {A: b}', 'reconnects'],
	['ssl_verify', 'url: http://x', 'url: http://x, ssl_verify: false', 'reconnects'],
	['client_cert', 'url: http://x', 'url: http://x, client_cert: c', 'reconnects'],
	['client_cert', 'url: http://x, client_cert: c', 'url: http://x, client_cert: d', 'reconnects'],
	[
		'client_cert',
		'url: http://x, client_cert: [c, d, e]',
		'url: http://x, client_cert: [c, d, f]',
		'reconnects',
	],
	[
		'client_key',
		'url: http://x, client_cert: c',
		'url: http://x, client_cert: c, client_key: d',
		'reconnects',
	],
	['enabled', 'command: x', 'command: x, enabled: false', 'reconnects'],
	['timeout', 'command: x', 'command: x, timeout: 3', 'at once'],
	['connect_timeout', 'command: x', 'command: x, connect_timeout: 3', 'at once'],
	['protocol', 'command: x', 'command: x, protocol: legacy', 'reconnects'],
	[
		'supports_parallel_tool_calls',
		'command: x',
		'command: x, supports_parallel_tool_calls: true',
		'at once',
	],
	['skip_preflight', 'url: http://x', 'url: http://x, skip_preflight: true', 'reconnects'],
	['transport', 'url: http://x', 'url: http://x, transport: sse', 'reconnects'],
	['keepalive_interval', 'command: x', 'command: x, keepalive_interval: 9', 'at once'],
	['lazy', 'command: x', 'command: x, lazy: true', 'at once'],
	['idle_timeout_seconds', 'command: x', 'command: x, idle_timeout_seconds: 4', 'at once'],
	[
		'max_lifetime_seconds',
		'command: x',
		'command: x, lifecycle: {max_lifetime_seconds: 4}',
		'at once',
	],
	['tools.include', 'command: x', 'command: x, tools: {include: []}', 'at once'],
	['tools.exclude', 'command: x', 'command: x, tools: {exclude: a}', 'at once'],
	['tools.prompts', 'command: x', 'command: x, tools: {prompts: false}', 'at once'],
	['tools.resources', 'command: x', 'command: x, tools: {resources: false}', 'at once'],
	['auth', 'url: http://x', 'url: http://x, auth: oauth', 'reconnects'],
	[
		'oauth.scope',
		'url: http://x, auth: oauth',
		'url: http://x, auth: oauth, oauth: {scope: a}',
		'reconnects',
	],
	['sampling.enabled', 'command: x', 'command: x, sampling: {enabled: false}', 'reconnects'],
	[
		'sampling.max_tokens_cap',
		'command: x',
		'command: x, sampling: {max_tokens_cap: 4}',
		'reconnects',
	],
	['sampling.timeout', 'command: x', 'command: x, sampling: {timeout: 4}', 'reconnects'],
	['elicitation.enabled', 'command: x', 'command: x, elicitation: {enabled: false}', 'reconnects'],
	['elicitation.timeout', 'command: x', 'command: x, elicitation: {timeout: 4}', 'reconnects'],
	[
		'trust',
		'command: x, sampling: {enabled: true}',
		'command: x, trust: untrusted, sampling: {enabled: true}',
		'reconnects',
	],
] as const;

test.for(examples)('a change of `%s` is named as in the file', ([key, before, after, needs]) => {
	expect(diff(`a: {${before}}`, `a: {${after}}`).changed).toEqual([{name: 'a', keys: [key]}]);
	expect(diffServer(serverOf(before), serverOf(after))).toEqual({
		keys: [key],
		reconnects: needs === 'reconnects',
		isOther: ['command', 'args', 'url', 'transport'].includes(key),
	});
});

test('there is an example for every setting of a server', () => {
	const declared = [programSettings, remoteSettings, serverSettings].flatMap(({fields}) =>
		Object.keys(fields),
	);
	const shown = new Set<string>(examples.map(([key]) => key.replace(/\..*/, '')));
	expect(declared.filter(key => key !== 'lifecycle' && !shown.has(key))).toEqual([]);
});

test('another kind of server, and a server that is trusted no more', () => {
	const [changed] = diff('a: {command: x}', 'a: {url: http://x}').changed;
	expect(changed?.keys).toEqual(expect.arrayContaining(['command', 'transport', 'url']));
	expect(new Set(diff('a: {command: x}', 'a: {command: x, trust: no}').changed[0]?.keys)).toEqual(
		new Set(['trust', 'sampling.enabled']),
	);
});

test('a reload says what it changes of tool servers, one line each, without their values', () => {
	const {changes, restartNeeded} = diffConfig(
		configWith('a: {command: a}, b: {url: http://b, headers: {X: old-secret}}'),
		configWith('b: {url: http://b, headers: {X: new-secret}, timeout: 9}, c: {command: c}'),
	);
	expect(changes).toEqual([
		'tool server c added',
		'tool server a removed',
		'tool server b changed: headers, timeout',
	]);
	expect(restartNeeded).toEqual([]);
});
