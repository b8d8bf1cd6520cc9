import {expect, test} from 'vitest';
import {diffConfig} from '../../source/config/diff-config.ts';
import {diffServers} from '../../source/config/diff-servers.ts';
import {configOf, createTemporaryHome} from './temporary-home.ts';

const configWith = (servers: string, environment: Record<string, string> = {}) => {
	using home = createTemporaryHome();
	return configOf(home.load({config: `mcp_servers: {${servers}}`}, {environment}));
};

const diff = (before: string, after: string) =>
	diffServers(configWith(before).toolServers, configWith(after).toolServers);

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

test.for([
	['command', 'command: x', 'command: y'],
	['args', 'command: x', 'command: x, args: [y]'],
	['env', 'command: x', 'command: x, env: {A: b}'],
	['url', 'url: http://x', 'url: http://y'],
	['headers', 'url: http://x', 'url: http://x, headers: {A: b}'],
	['ssl_verify', 'url: http://x', 'url: http://x, ssl_verify: false'],
	['client_cert', 'url: http://x', 'url: http://x, client_cert: c'],
	['client_cert', 'url: http://x, client_cert: c', 'url: http://x, client_cert: d'],
	['client_cert', 'url: http://x, client_cert: [c, d, e]', 'url: http://x, client_cert: [c, d, f]'],
	['client_key', 'url: http://x, client_cert: c', 'url: http://x, client_cert: c, client_key: d'],
	['enabled', 'command: x', 'command: x, enabled: false'],
	['timeout', 'command: x', 'command: x, timeout: 3'],
	['connect_timeout', 'command: x', 'command: x, connect_timeout: 3'],
	['protocol', 'command: x', 'command: x, protocol: legacy'],
	['supports_parallel_tool_calls', 'command: x', 'command: x, supports_parallel_tool_calls: true'],
	['skip_preflight', 'url: http://x', 'url: http://x, skip_preflight: true'],
	['transport', 'url: http://x', 'url: http://x, transport: sse'],
	['keepalive_interval', 'command: x', 'command: x, keepalive_interval: 9'],
	['lazy', 'command: x', 'command: x, lazy: true'],
	['idle_timeout_seconds', 'command: x', 'command: x, idle_timeout_seconds: 4'],
	['max_lifetime_seconds', 'command: x', 'command: x, lifecycle: {max_lifetime_seconds: 4}'],
	['tools.include', 'command: x', 'command: x, tools: {include: []}'],
	['tools.exclude', 'command: x', 'command: x, tools: {exclude: a}'],
	['tools.prompts', 'command: x', 'command: x, tools: {prompts: false}'],
	['auth', 'url: http://x', 'url: http://x, auth: oauth'],
	['oauth.scope', 'url: http://x, auth: oauth', 'url: http://x, auth: oauth, oauth: {scope: a}'],
	['sampling.max_tokens_cap', 'command: x', 'command: x, sampling: {max_tokens_cap: 4}'],
	['sampling.timeout', 'command: x', 'command: x, sampling: {timeout: 4}'],
	['elicitation.enabled', 'command: x', 'command: x, elicitation: {enabled: false}'],
	['elicitation.timeout', 'command: x', 'command: x, elicitation: {timeout: 4}'],
] as const)('a change of `%s` is named as in the file', ([key, before, after]) => {
	expect(diff(`a: {${before}}`, `a: {${after}}`).changed).toEqual([{name: 'a', keys: [key]}]);
});

test('another kind of server, and a server that is trusted no more', () => {
	const [changed] = diff('a: {command: x}', 'a: {url: http://x}').changed;
	expect(changed?.keys).toEqual(expect.arrayContaining(['command', 'transport', 'url']));
	expect(diff('a: {command: x}', 'a: {command: x, trust: no}').changed).toEqual([
		{name: 'a', keys: ['trust', 'sampling.enabled']},
	]);
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
