import {expect, test} from 'vitest';
import {alerts} from '../../../source/cli/doctor/checks/alerts.ts';
import type {Check} from '../../../source/cli/doctor/checks/check.ts';
import {healthOfDisk} from '../../../source/cli/doctor/checks/home.ts';
import {healthOfClock, healthOfTerminal} from '../../../source/cli/doctor/checks/machine.ts';
import {healthOf} from '../../../source/cli/doctor/checks/model.ts';
import {listenersOn, reachOf} from '../../../source/cli/doctor/checks/port.ts';
import {targets} from '../../../source/cli/doctor/checks/targets.ts';
import {homePaths} from '../../../source/config/home-paths.ts';
import {loadConfig} from '../../../source/config/load-config.ts';
import {platformKinds} from '../../../source/platforms/platforms.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';

const at = Date.UTC(2026, 10, 20, 12, 0, 0);

test.each([
	[[], 'unknown', /no check asked/],
	[[{from: 'x', date: 'no date', at}], 'unknown', /no check asked/],
	[[{from: 'x', date: 'Fri, 20 Nov 2026 12:00:00 GMT', at}], 'ok', /agrees with x/],
	[[{from: 'x', date: 'Fri, 20 Nov 2026 11:59:00 GMT', at}], 'ok', /60 s ahead of x/],
	[[{from: 'x', date: 'Fri, 20 Nov 2026 12:03:00 GMT', at}], 'warning', /180 s behind x/],
	[[{from: 'x', date: 'Fri, 20 Nov 2026 12:05:00 GMT', at}], 'failed', /300 s behind x/],
] as const)('the clock, of %j: %s', (heard, health, found) => {
	expect(healthOfClock(heard)).toMatchObject({health, found: expect.stringMatching(found)});
});

test.each([
	['127.0.0.1', [], /this machine alone/],
	['0.0.0.0', ['192.168.1.5', 'fd00::1'], /same network .*192\.168\.1\.5/],
	['::', ['10.0.0.1', '203.0.113.5'], /203\.0\.113\.5 looks public/],
	['172.20.0.1', [], /bound to 172\.20\.0\.1: senders in the same network/],
	['172.32.0.1', [], /172\.32\.0\.1 looks public/],
	['100.64.0.9', [], /same network/],
] as const)('bound to %s with %j', (host, addresses, found) => {
	expect(reachOf(host, addresses)).toMatchObject({
		found: expect.stringMatching(found),
		mend: expect.stringContaining('svc help reachable'),
	});
});

test.each([
	[{status: 200, lists: true}, 'ok'],
	[{status: 200}, 'ok'],
	[{status: 200, lists: false}, 'warning'],
	[{status: 401}, 'failed'],
	[{status: 403}, 'failed'],
	[{status: 404}, 'warning'],
	[{status: 302}, 'failed'],
	[{status: 429}, 'warning'],
	[{status: 503}, 'warning'],
] as const)('a model that answers %j is %s', (answer, health) => {
	expect(healthOf(answer, {name: 'm', at: 'p at h'})).toMatchObject({health});
});

const mib = 1024 ** 2;

test.each([
	[{freeBytes: 10 * 1024 * mib, files: 0, freeFiles: 0}, 'ok'],
	[{freeBytes: 300 * mib, files: 100_000, freeFiles: 5000}, 'warning'],
	[{freeBytes: 20 * mib, files: 100_000, freeFiles: 5000}, 'failed'],
	[{freeBytes: 10 * 1024 * mib, files: 100_000, freeFiles: 3}, 'failed'],
] as const)('a disk with %j is %s', (free, health) => {
	expect(healthOfDisk(free, '/home')).toMatchObject({health});
});

test.each([
	[{LANG: 'C.UTF-8', TERM: 'xterm-256color'}, '', ['ok']],
	[{LANG: 'C.UTF-8', LC_ALL: 'C', TERM: 'xterm'}, '', ['warning']],
	[{TERM: 'dumb'}, '', ['warning', 'warning']],
	[{LANG: 'de_DE.utf8', TERM: 'screen'}, 'tmux 3.1c', ['warning']],
	[{LANG: 'de_DE.utf8', TERM: 'tmux-256color'}, 'tmux 3.4', ['ok']],
	[{LANG: 'de_DE.utf8', TERM: 'tmux-256color'}, 'tmux of unknown version', ['ok']],
] as const)('the terminal %j %s', (environment, tmux, healths) => {
	expect(healthOfTerminal(environment, {colours: 256, tmux}).map(({health}) => health)).toEqual(
		healths,
	);
});

test('who listens is read from the table of the kernel', () => {
	const table = [
		'  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
		'   0: 0100007F:21C4 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0 100 0 0 10 0',
		'   1: 0100007F:21C4 0100007F:9999 01 00000000:00000000 00:00000000 00000000  1000        0 4712 1 0 100 0 0 10 0',
	].join('\n');
	expect(listenersOn(8644, table)).toEqual(['4711']);
	expect(listenersOn(8645, table)).toEqual([]);
});

const lacks: Readonly<Record<string, string>> = {
	telegram: '"bot_token"',
	discord: '"bot_token"',
	slack: '"bot_token"',
	whatsapp: '"access_token", "phone_number_id"',
	signal: '"number"',
	sms: '"account_sid", "auth_token" or "api_key" and "api_secret", "from" or "messaging_service_sid"',
	email: '"from", "smtp.host"',
	matrix: '"homeserver", "access_token"',
	mattermost: '"api_base", "bot_token"',
	teams: '"webhooks"',
	googlechat: '"webhooks" or "service_account"',
	zulip: '"api_base", "bot_email", "api_key"',
	rocketchat: '"api_base", "user_id", "auth_token"',
	feishu: '"app_id" and "app_secret", or "webhooks"',
	dingtalk: '"webhooks"',
	wecom: '"webhooks"',
};

/** What the doctor says of targets where `config.yaml` has these platforms. */
const lookAtTargets = async (platforms: Readonly<Record<string, unknown>>) =>
	lookWith(targets, {platforms});

async function lookWith(check: Check, written: Readonly<Record<string, unknown>>) {
	const paths = homePaths({environment: {SVC_HOME: '/nowhere'}});
	const loaded = loadConfig({paths, environment: {}, text: JSON.stringify(written)});
	const world = {
		config: loaded.ok ? loaded.config : undefined,
		context: {clock: createFakeClock(0), environment: {}},
	};
	return check.look(world as never, new AbortController().signal);
}

test('platforms that are enabled and incomplete: what each lacks, and how to mend it', async () => {
	const platforms = Object.fromEntries(platformKinds.map(({kind}) => [kind, {enabled: true}]));
	const found = [await lookAtTargets(platforms)].flat();
	for (const {kind} of platformKinds) {
		expect(found).toContainEqual({
			of: kind,
			health: 'failed',
			found: `platform "${kind}" lacks ${lacks[kind]}; see platforms.${kind}`,
			mend: `svc gateway setup ${kind}, or see svc help delivery-${kind}`,
		});
	}
});

test('a platform whose section is broken is mended in config.yaml', async () => {
	expect(await lookAtTargets({telegram: {enabled: true, bot_token: 7}})).toContainEqual({
		of: 'telegram',
		health: 'failed',
		found: expect.stringContaining('platforms.telegram.bot_token'),
		mend: 'mend platforms.telegram in config.yaml: see svc help delivery-telegram',
	});
});

test('the chats of alerts: none, with the line to write, or each with what it is told of, or why nothing', async () => {
	expect(await lookWith(alerts, {})).toEqual({
		health: 'ok',
		found: 'none: no chat is told when something needs a person',
		mend: expect.stringContaining('"alerts: [{platform: telegram, chat_id: 12345}]"'),
	});
	const written = {
		platforms: {
			telegram: {enabled: true, bot_token: '1:x'},
			discord: {enabled: true, bot_token: 5},
		},
		alerts: [
			{platform: 'telegram', chat_id: 7, on: ['dead', 'login']},
			{platform: 'telegram'},
			{platform: 'slack', chat_id: 'C012345678'},
			{platform: 'discord', chat_id: '123456789012345678'},
		],
	};
	expect(await lookWith(alerts, written)).toEqual([
		{health: 'ok', found: 'telegram 7 is told of dead, login'},
		{
			health: 'warning',
			found: expect.stringMatching(/^telegram .*is told nothing: chat_id is missing/),
			mend: expect.stringContaining('mend chat_id'),
		},
		{
			health: 'warning',
			found: expect.stringMatching(/^slack C012345678 is told nothing: .* is not enabled/),
			mend: 'svc gateway setup slack',
		},
		{
			health: 'warning',
			found: 'discord 123456789012345678 is told nothing: platforms.discord cannot be used',
			mend: expect.stringContaining('mend platforms.discord'),
		},
	]);
});
