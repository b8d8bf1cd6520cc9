import {expect, test} from 'vitest';
import {homePaths} from '../../../source/config/home-paths.ts';
import {loadConfig} from '../../../source/config/load-config.ts';
import {platformSettings} from '../../../source/config/platform-settings.ts';
import type {JsonObject} from '../../../source/core/json.ts';
import {
	listeningPart,
	platformFields,
	settingsFromForm,
} from '../../../source/nouns/platform/platform-form.ts';
import {platformKinds, platformNamed} from '../../../source/platforms/platforms.ts';

type Filled = {
	/** Keys in the order in which they are asked for; `!`: required. */
	readonly asked: string;
	readonly typed: Readonly<Record<string, string>>;
	readonly written: JsonObject;
};

const url = 'https://example.org/hook/0123456789abcdef';
const hook: Filled = {
	asked: 'hook! url! secret home_channel',
	typed: {hook: 'ops', url},
	written: {webhooks: {ops: {url}}, home_channel: 'ops'},
};

const forms: Readonly<Record<string, Filled>> = {
	telegram: {
		asked: 'bot_token! home_channel',
		typed: {bot_token: '1:a', home_channel: '-1001'},
		written: {bot_token: '1:a', home_channel: '-1001'},
	},
	discord: {
		asked: 'bot_token! home_channel',
		typed: {bot_token: 'a', home_channel: '12345678901234567'},
		written: {bot_token: 'a', home_channel: '12345678901234567'},
	},
	slack: {
		asked: 'bot_token! home_channel',
		typed: {bot_token: 'xoxb-a', home_channel: 'C0123456789'},
		written: {bot_token: 'xoxb-a', home_channel: 'C0123456789'},
	},
	whatsapp: {
		asked: 'access_token! phone_number_id! home_channel',
		typed: {access_token: 'a', phone_number_id: '1234567', home_channel: '+491701234567'},
		written: {access_token: 'a', phone_number_id: '1234567', home_channel: '+491701234567'},
	},
	signal: {
		asked: 'number! home_channel',
		typed: {number: '+491701234567', home_channel: '+491701234568'},
		written: {number: '+491701234567', home_channel: '+491701234568'},
	},
	sms: {
		asked: 'account_sid! auth_token api_key api_secret from messaging_service_sid home_channel',
		typed: {
			account_sid: `AC${'0'.repeat(32)}`,
			api_key: 'SK1',
			api_secret: 'a',
			from: '+15551234567',
			home_channel: '+491701234567',
		},
		written: {
			account_sid: `AC${'0'.repeat(32)}`,
			api_key: 'SK1',
			api_secret: 'a',
			from: '+15551234567',
			home_channel: '+491701234567',
		},
	},
	email: {
		asked: 'from! smtp.host smtp.username smtp.password home_channel',
		typed: {from: 'svc@example.org', 'smtp.host': 'smtp.example.org', 'smtp.password': 'a'},
		written: {from: 'svc@example.org', smtp: {host: 'smtp.example.org', password: 'a'}},
	},
	matrix: {
		asked: 'homeserver! access_token! home_channel',
		typed: {homeserver: 'https://matrix.example.org', access_token: 'a'},
		written: {homeserver: 'https://matrix.example.org', access_token: 'a'},
	},
	mattermost: {
		asked: 'api_base! bot_token! home_channel',
		typed: {api_base: 'https://chat.example.org', bot_token: 'a'},
		written: {api_base: 'https://chat.example.org', bot_token: 'a'},
	},
	teams: hook,
	googlechat: {
		asked: 'service_account hook url secret home_channel',
		typed: {service_account: '/etc/svc/chat.json', hook: 'main', home_channel: 'spaces/AAAA'},
		written: {service_account: '/etc/svc/chat.json', home_channel: 'spaces/AAAA'},
	},
	zulip: {
		asked: 'api_base! bot_email! api_key! home_channel',
		typed: {api_base: 'https://acme.zulipchat.com', bot_email: 'b@example.org', api_key: 'a'},
		written: {api_base: 'https://acme.zulipchat.com', bot_email: 'b@example.org', api_key: 'a'},
	},
	rocketchat: {
		asked: 'api_base! user_id! auth_token! home_channel',
		typed: {api_base: 'https://chat.example.org', user_id: 'u', auth_token: 'a'},
		written: {api_base: 'https://chat.example.org', user_id: 'u', auth_token: 'a'},
	},
	feishu: {
		asked: 'app_id app_secret hook url secret home_channel',
		typed: {app_id: 'cli_a', app_secret: 'a', hook: 'main'},
		written: {app_id: 'cli_a', app_secret: 'a'},
	},
	dingtalk: {
		...hook,
		typed: {hook: 'ops', url, secret: 'SECa', home_channel: 'other'},
		written: {webhooks: {ops: {url, secret: 'SECa'}}, home_channel: 'other'},
	},
	wecom: hook,
};

const asked = (kind: string, there?: JsonObject): string =>
	platformFields(platformNamed(kind) ?? {kind}, there)
		.map(({key, required}) => `${key}${required ? '!' : ''}`)
		.join(' ');

test.for(platformKinds.filter(({listens}) => listens))(
	'$kind: what only listening needs is asked for apart',
	platform => {
		const keys = platformFields(listeningPart(platform)).map(({key}) => key);
		expect(keys).toEqual(
			{
				slack: ['app_token'],
				email: ['imap.host', 'imap.username', 'imap.password', 'authserv_id'],
			}[platform.kind] ?? [],
		);
		expect(Object.keys(platform.fields ?? {})).toEqual(
			expect.arrayContaining([...(platform.listens?.fields ?? [])]),
		);
	},
);

test.for(platformKinds.map(({kind}) => kind))(
	'%s: what is asked for, filled in, is complete',
	kind => {
		const {typed, written, ...form} = forms[kind] ?? {asked: '', typed: {}, written: {}};
		expect(asked(kind)).toBe(form.asked);
		for (const {masked, description} of platformFields(platformNamed(kind) ?? {kind})) {
			expect(description.endsWith(' The input is hidden.')).toBe(masked);
		}

		const settings = settingsFromForm(platformNamed(kind) ?? {kind}, typed);
		expect(settings).toEqual(written);

		const loaded = loadConfig({
			paths: homePaths({environment: {SVC_HOME: '/nowhere'}}),
			environment: {},
			text: JSON.stringify({platforms: {[kind]: {enabled: true, ...settings}}}),
		});
		expect(loaded).toMatchObject({ok: true, config: {problems: []}});
		const config = loaded.ok ? loaded.config : undefined;
		expect(config && platformSettings(config, kind)).toMatchObject({enabled: true});
		expect(config && platformSettings(config, kind)).not.toHaveProperty('lacks');
	},
);

test('what is there already need not be typed again, and a home channel stays', () => {
	const telegram = platformNamed('telegram') ?? {kind: 'telegram'};
	const there = {bot_token: '1:a', home_channel: '-1001'};
	expect(asked('telegram', there)).toBe('bot_token home_channel');
	expect(
		platformFields(telegram, there).map(({description}) => description.includes('stays')),
	).toEqual([true, true]);
	expect(settingsFromForm(telegram, {}, there)).toEqual({});

	const webhooks = {ops: {url}};
	expect(asked('teams', {webhooks})).toBe('hook url secret home_channel');
	const teams = platformNamed('teams') ?? {kind: 'teams'};
	const added = {webhooks: {main: {url}}};
	const typed = {hook: 'main', url};
	expect(settingsFromForm(teams, typed, {webhooks, home_channel: 'ops'})).toEqual(added);
	expect(settingsFromForm(teams, typed, {webhooks})).toEqual({...added, home_channel: 'main'});
	expect(
		settingsFromForm(teams, {hook: 'ops', secret: 'a'}, {webhooks, home_channel: 'ops'}),
	).toEqual({
		webhooks: {ops: {secret: 'a'}},
	});
});
