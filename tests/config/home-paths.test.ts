import {chmodSync, existsSync, statSync, writeFileSync} from 'node:fs';
import {homedir} from 'node:os';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {compileCacheFolder, ensureHome, homePaths} from '../../source/config/home-paths.ts';
import {codeOf, messageOf} from '../../source/core/errors.ts';
import {needRefusals} from '../helpers/need.ts';
import {createTemporaryHome} from './temporary-home.ts';

test('"`SVC_HOME` (default `~/.svc`) is the data directory"', () => {
	expect(homePaths({environment: {HOME: '/home/ada'}}).home).toBe('/home/ada/.svc');
	expect(homePaths({environment: {}}).home).toBe(join(homedir(), '.svc'));
	expect(homePaths({environment: {SVC_HOME: '/srv/svc'}}).config).toBe('/srv/svc/config.yaml');
	expect(homePaths({environment: {SVC_HOME: '', HOME: '/home/ada'}}).home).toBe('/home/ada/.svc');
	expect(homePaths({environment: {SVC_HOME: '~/svc', HOME: '/home/ada'}}).home).toBe(
		'/home/ada/svc',
	);
});

test('"`-p, --profile NAME` selects `<home>/profiles/NAME/`, which has the same layout"', () => {
	const paths = homePaths({environment: {SVC_HOME: '/srv/svc'}, profile: 'ops'});
	expect(paths).toMatchObject({
		profile: 'ops',
		home: '/srv/svc/profiles/ops',
		subscriptions: '/srv/svc/profiles/ops/webhook_subscriptions.json',
		socket: '/srv/svc/profiles/ops/run/gateway.sock',
	});
	expect(homePaths({environment: {SVC_HOME: '/srv/svc'}, profile: 'default'}).home).toBe(
		'/srv/svc',
	);
});

test('tool servers and approvals have files in the home, those of a profile in its own', () => {
	expect(homePaths({environment: {SVC_HOME: '/srv/svc'}, profile: 'ops'})).toMatchObject({
		mcpTokens: '/srv/svc/profiles/ops/mcp-tokens',
	});
	expect(homePaths({environment: {SVC_HOME: '/srv/svc'}})).toMatchObject({
		mcpTokens: '/srv/svc/mcp-tokens',
		mcpStderrLog: '/srv/svc/logs/mcp-stderr.log',
		markKey: '/srv/svc/mark.key',
		memberId: '/srv/svc/member.id',
		schemaCache: '/srv/svc/cache/mcp_schema_cache.json',
		toolPins: '/srv/svc/cache/mcp_tool_pins.json',
		mcpProcesses: '/srv/svc/run/mcp-processes.json',
		approvalsLog: '/srv/svc/logs/approvals.jsonl',
	});
});

test.for(['', '..', '../x', 'A', '-a', 'a/b', 'a'.repeat(65)])(
	'a profile cannot be called "%s"',
	profile => {
		expect(() => homePaths({environment: {}, profile})).toThrow(/profile/);
	},
);

test('"Created 0700"', () => {
	using home = createTemporaryHome();
	for (const folder of [
		home.paths.home,
		home.paths.run,
		home.paths.logs,
		home.paths.cache,
		home.paths.mcpTokens,
	]) {
		expect(statSync(folder).mode & 0o777).toBe(0o700);
	}
});

test('a home that is a file is `home_unusable`, in one clear sentence', () => {
	using home = createTemporaryHome();
	const file = join(home.paths.home, 'file');
	writeFileSync(file, '');
	let thrown: unknown;
	try {
		ensureHome(homePaths({environment: {SVC_HOME: file}}));
	} catch (error) {
		thrown = error;
	}

	expect(codeOf(thrown)).toBe('home_unusable');
	expect(messageOf(thrown)).toContain(`Cannot use "${file}"`);
	expect(messageOf(thrown)).toContain('SVC_HOME');
});

test('a home that cannot be written is `home_unusable`', context => {
	needRefusals(context);
	using home = createTemporaryHome();
	chmodSync(home.paths.home, 0o500);
	try {
		expect(() => {
			ensureHome(home.paths);
		}).toThrow(/Cannot use/);
	} finally {
		chmodSync(home.paths.home, 0o700);
	}
});

test('the compile cache is not in the home: asking for it creates nothing', () => {
	expect(compileCacheFolder({HOME: '/home/ada', SVC_HOME: '/srv/svc'})).toBe(
		'/home/ada/.cache/svc-agent/compile',
	);
	expect(compileCacheFolder({HOME: '/home/ada', XDG_CACHE_HOME: '/nowhere'})).toBe(
		'/nowhere/svc-agent/compile',
	);
	expect(existsSync('/nowhere')).toBe(false);
});

test('a home where nothing can be created is refused, however the file system says so', () => {
	// mkdir answers ENOENT below /proc, where a recursive creation would never end.
	expect(() => {
		ensureHome(homePaths({environment: {SVC_HOME: '/proc/nope'}}));
	}).toThrow(expect.objectContaining({code: 'home_unusable'}));
});
