import {readFileSync, writeFileSync} from 'node:fs';
import {assert, constantFrom, dictionary, jsonValue, nat, property, uniqueArray} from 'fast-check';
import {expect, test} from 'vitest';
import {parse, stringify} from 'yaml';
import {editConfigText} from '../../source/config/edit-config.ts';
import {removeToolServer, setToolServer} from '../../source/config/edit-servers.ts';
import {systemClock} from '../../source/core/clock.ts';
import {propertyRuns} from '../helpers/property-runs.ts';
import {configOf, createTemporaryHome, problemsOf} from './temporary-home.ts';

const written = `# head
mcp_servers:   # servers
    # the crm
    crm:
        command:   npx   # run
        args: [ -y,  "@x/crm" ]

    # the wiki
    wiki: {url: https://wiki.example/mcp,   timeout: 3}   # slow
    # last words

# the model
model:   # m
    name:   'x'
`;

const options = {clock: systemClock};

test('"Edits the program makes to `config.yaml` keep the user\'s comments and order": a server is added behind the others', async () => {
	using home = createTemporaryHome();
	writeFileSync(home.paths.config, written);
	await setToolServer(
		home.paths,
		{name: 'x.y z', entry: {command: 'x', args: ['${A}'], env: {B: 'c: d'}}},
		options,
	);
	const text = readFileSync(home.paths.config, 'utf8');
	expect(text).toBe(
		written.replace(
			'# slow\n',
			'# slow\n    x.y z:\n        command: x\n        args:\n            - ${A}\n        env:\n            B: "c: d"\n',
		),
	);
	expect(configOf(home.load()).toolServers.get('x.y z')?.endpoint).toEqual({
		transport: 'stdio',
		command: 'x',
		args: ['${A}'],
		env: {B: 'c: d'},
	});
});

test('a server is removed with its lines alone', async () => {
	using home = createTemporaryHome();
	writeFileSync(home.paths.config, written);
	await removeToolServer(home.paths, 'crm', options);
	expect(readFileSync(home.paths.config, 'utf8')).toBe(written.replace(/ {4}crm:\n.*\n.*\n/, ''));
	await removeToolServer(home.paths, 'wiki', options);
	expect(readFileSync(home.paths.config, 'utf8')).toBe(
		written
			.replace(/ {4}crm:\n.*\n.*\n/, '')
			.replace(/ {4}wiki:.*\n/, '')
			.replace('mcp_servers:   # servers', 'mcp_servers: {}   # servers'),
	);
	expect(problemsOf(home.load({}, {strict: true}))).toEqual([]);
});

test('the first server of a home starts its file', async () => {
	using home = createTemporaryHome();
	await setToolServer(home.paths, {name: 'crm', entry: {url: 'https://crm.example'}}, options);
	expect(configOf(home.load()).toolServers.size).toBe(1);
	expect(readFileSync(home.paths.config, 'utf8')).toContain('# Configuration of svc');
});

test('"An existing server name is never overwritten"', async () => {
	using home = createTemporaryHome();
	writeFileSync(home.paths.config, written);
	await expect(
		setToolServer(home.paths, {name: 'crm', entry: {command: 'evil'}}, options),
	).rejects.toMatchObject({code: 'server_exists'});
	expect(readFileSync(home.paths.config, 'utf8')).toBe(written);
});

test('a server that is not there cannot be removed', async () => {
	using home = createTemporaryHome();
	writeFileSync(home.paths.config, written);
	for (const [name, message] of [
		['wikki', 'Cannot find tool server "wikki", did you mean "wiki"'],
		['toString', 'Cannot find tool server "toString": see "svc mcp list"'],
	] as const) {
		await expect(removeToolServer(home.paths, name, options)).rejects.toMatchObject({
			code: 'server_not_found',
			message,
		});
	}
});

test.for([
	[
		'crm2',
		{},
		'Cannot use tool server "crm2": needs "command" (a program) or "url" (a remote server)',
	],
	[
		'crm2',
		{command: 'a', timeout: 'hunter22'},
		'Cannot use tool server "crm2": "timeout" must be a number, not text',
	],
	[
		'crm2',
		{url: 'hunter22'},
		'Cannot use tool server "crm2": "url" must be a URL that starts with http:// or https://',
	],
	[
		'a\u001Bb',
		{command: 'a'},
		'Cannot use tool server "a␛b": is not a name: 1 to 128 characters, none of them hidden or a control',
	],
	['__proto__', {command: 'a'}, 'Cannot use tool server "__proto__": is not allowed as a key'],
] as const)('what the loader would refuse is not written: %s', async ([name, entry, message]) => {
	using home = createTemporaryHome();
	writeFileSync(home.paths.config, written);
	await expect(setToolServer(home.paths, {name, entry}, options)).rejects.toMatchObject({
		code: 'server_invalid',
		message,
	});
	expect(readFileSync(home.paths.config, 'utf8')).toBe(written);
});

test('what is broken elsewhere keeps nobody from removing a broken server', async () => {
	using home = createTemporaryHome();
	writeFileSync(
		home.paths.config,
		'model: {name: 7}\nmcp_servers:\n  bad: {timeout: x}\n  good: {command: a}\n',
	);
	await removeToolServer(home.paths, 'bad', options);
	await setToolServer(home.paths, {name: 'more', entry: {command: 'b'}}, options);
	expect(readFileSync(home.paths.config, 'utf8')).toBe(
		'model: {name: 7}\nmcp_servers:\n  good: {command: a}\n  more:\n    command: b\n',
	);
});

test.for(['mcp_servers: [a]', 'mcp_servers: text', '- list'])(
	'a file with {%s} is left alone',
	async text => {
		using home = createTemporaryHome();
		writeFileSync(home.paths.config, text);
		await expect(
			setToolServer(home.paths, {name: 'crm', entry: {command: 'a'}}, options),
		).rejects.toMatchObject({code: expect.stringMatching(/config_not_editable|server_invalid/)});
		expect(readFileSync(home.paths.config, 'utf8')).toBe(text);
	},
);

test('two that are added at once are both there', async () => {
	using home = createTemporaryHome();
	await Promise.all(
		['a', 'b', 'c'].map(async name =>
			setToolServer(home.paths, {name, entry: {command: name}}, options),
		),
	);
	expect(configOf(home.load()).toolServers.size).toBe(3);
});

test('whatever is removed, every other value and every comment outside of it stays', () => {
	const names = uniqueArray(
		constantFrom('a', 'b c', '"q"', 'n1', 'x.y', 'true', '- z', 'k:', '#', '?'),
		{minLength: 1},
	);
	const keys = constantFrom('command', 'env', 'a b', '"', "it's");
	const entries = dictionary(keys, jsonValue({maxDepth: 2}), {minKeys: 1});
	assert(
		property(names, entries, nat(), (servers, entry, choice) => {
			const blocks = servers.map(
				key => `  # about\n${stringify({[key]: entry}).replaceAll(/^(?=.)/gm, '  ')}`,
			);
			const text = `# head\nfirst: 1\n\n# servers\nmcp_servers: # all\n${blocks.join('\n')}\n# tail\nlast: 1 # end\n`;
			const name = servers[choice % servers.length] ?? '';
			const {[name]: removed, ...rest} = parse(text).mcp_servers;
			expect(removed).toEqual(entry);
			const edited = editConfigText(text, [{path: ['mcp_servers', name]}], 'config.yaml');
			expect(parse(edited)).toEqual({first: 1, mcp_servers: rest, last: 1});
			expect(edited.match(/^# head|# servers$|# all$|# tail$|# end$/gm)).toHaveLength(5);
		}),
		{numRuns: propertyRuns(100)},
	);
});
