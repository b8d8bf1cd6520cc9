import {mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {checkSubscription} from '../../source/config/check-subscription.ts';
import {profilePaths} from '../../source/config/home-paths.ts';
import {loadConfig} from '../../source/config/load-config.ts';
import {profileStamp} from '../../source/config/profiles.ts';
import {buildRouteTable, routeViews, secretsInTable} from '../../source/config/route-table.ts';
import {codeOf} from '../../source/core/errors.ts';
import {configOf, createTemporaryHome, problemsOf, type TemporaryHome} from './temporary-home.ts';

/** Makes a profile's folder with this `.env`. */
function makeProfile({paths}: TemporaryHome, name: string, env?: string) {
	const profile = profilePaths(paths, name);
	mkdirSync(profile.home, {recursive: true});
	if (env !== undefined) {
		writeFileSync(profile.env, env);
	}

	return profile;
}

const multiplexing = (routes = '') => `
gateway: {multiplex_profiles: true}
platforms:
  webhook:
    secret: global-secret
    routes:
      plain: {}
${routes}`;

test('"With `gateway.multiplex_profiles` enabled: the profile authorised to run this route"', () => {
	using home = createTemporaryHome();
	makeProfile(home, 'ops');
	const routes = '      bound: {profile: ops}\n      own: {profile: default}\n';
	const config = configOf(home.load({config: multiplexing(routes)}));
	expect(config).toMatchObject({multiplexProfiles: true, problems: []});
	expect([...config.webhook.routes.values()].map(({name, profile}) => [name, profile])).toEqual([
		['plain', 'default'],
		['bound', 'ops'],
		['own', 'default'],
	]);
	const table = buildRouteTable(config, {
		entries: {dynamic: {profile: 'ops'}, mine: {profile: 'default'}, free: {}},
	});
	expect([...table.routes.values()].slice(3).map(({name, profile}) => [name, profile])).toEqual([
		['dynamic', 'ops'],
		['mine', 'default'],
		['free', 'default'],
	]);
	expect(routeViews(table).map(({profile}) => profile)).toEqual([
		'default',
		'ops',
		'default',
		'ops',
		'default',
		'default',
	]);
});

test('without it such a route is skipped with a warning, and nothing is refused for it', () => {
	using home = createTemporaryHome();
	makeProfile(home, 'ops', 'HOOK=never-read');
	const routes = '      bound: {profile: ops, secret: "${HOOK}"}\n';
	const loaded = home.load({config: multiplexing(routes).replace('true', 'false')});
	const config = configOf(loaded);
	expect(config).toMatchObject({multiplexProfiles: false, webhook: {refusals: []}});
	const reason =
		'Route "bound" is bound to profile "ops": set gateway.multiplex_profiles to serve it';
	expect(problemsOf(loaded)).toEqual([
		`config.yaml:8:24 platforms.webhook.routes.bound.profile: ${reason}`,
	]);
	const table = buildRouteTable(config, {
		entries: {dynamic: {profile: 'ops', secret: '${HOOK}'}, bound: {secret: 's'}},
	});
	expect([...table.routes.keys()]).toEqual(['plain']);
	expect(table.skipped.map(({name, source, code}) => [name, source, code])).toEqual([
		['bound', 'static', 'profile_not_served'],
		['dynamic', 'dynamic', 'profile_not_served'],
		['bound', 'dynamic', 'shadowed'],
	]);
	expect(routeViews(table)[1]).toMatchObject({
		name: 'bound',
		profile: 'ops',
		problem: `config.yaml:8:24: ${reason}`,
	});
	expect(config.profiles.others).toEqual([]);
	expect(JSON.stringify(config)).not.toContain('never-read');
});

test.for([
	null,
	'',
	'  ',
	7,
	true,
	['ops'],
	{name: 'ops'},
	'../ops',
	'a/b',
	'OPS',
	'ops ',
	'.',
	'..',
])(
	'a `profile` that is not a name belongs to nobody, with and without multiplexing: %j',
	profile => {
		for (const served of ['true', 'false']) {
			using home = createTemporaryHome();
			const config = configOf(
				home.load({
					config: multiplexing(`      bound: {profile: ${JSON.stringify(profile)}}\n`).replace(
						'true',
						served,
					),
				}),
			);
			expect(config.webhook).toMatchObject({
				refusals: [],
				invalid: [{name: 'bound', code: 'profile_invalid'}],
			});
			const {routes, skipped} = buildRouteTable(config, {entries: {dynamic: {profile}}});
			expect([...routes.keys()]).toEqual(['plain']);
			expect(skipped.at(-1)).toMatchObject({name: 'dynamic', code: 'profile_invalid'});
			expect(checkSubscription('dynamic', {profile}, config).refusals).toMatchObject([
				{code: 'profile_invalid'},
			]);
		}
	},
);

test('only the home without a profile serves several: elsewhere the key has no effect and says so', () => {
	using home = createTemporaryHome({profile: 'ops'});
	const routes =
		'      bound: {profile: dev}\n      mine: {profile: ops}\n      also: {profile: default}\n';
	const loaded = home.load({config: multiplexing(routes)});
	const {multiplexProfiles, webhook, profiles} = configOf(loaded);
	expect(multiplexProfiles).toBe(false);
	expect([...webhook.routes.values()].map(({name, profile}) => [name, profile])).toEqual([
		['plain', 'default'],
		['mine', 'default'],
		['also', 'default'],
	]);
	expect(webhook.skipped.map(({reason}) => reason)).toEqual([
		'Route "bound" is bound to profile "dev": this gateway serves "ops" alone',
	]);
	expect(problemsOf(loaded)[0]).toBe(
		'config.yaml:2:31 gateway.multiplex_profiles: has no effect in a profile: only a gateway without -p serves several',
	);
	expect(profiles.of('ops').paths).toEqual(home.paths);
	expect(profiles.of('default').paths).toEqual(home.paths);
});

test("a secret of a route is looked up with its profile's `.env`, then in the process, never in another `.env`", () => {
	using home = createTemporaryHome();
	makeProfile(home, 'ops', 'HOOK=ops-hook\nOLD=ops-old\n');
	makeProfile(home, 'dev', 'HOOK=dev-hook\n');
	const routes = `
      mine: {secret: "\${HOOK}"}
      of-ops: {profile: ops, secret: ["\${HOOK}", "\${env:SHARED}"], retired_secrets: [{secret: "\${OLD}", until: 2026-01-01T00:00:00Z}]}
      of-dev: {profile: dev, secret: "\${HOOK}"}
`;
	const config = configOf(
		home.load(
			{config: multiplexing(routes), env: 'HOOK=own-hook\nMINE=own-only\n'},
			{environment: {SHARED: 'shared-hook', HOOK: 'process-hook'}},
		),
	);
	const secretsOf = (name: string) => config.webhook.routes.get(name)?.secrets;
	expect(secretsOf('mine')).toEqual(['own-hook']);
	expect(secretsOf('of-ops')).toEqual(['ops-hook', 'shared-hook']);
	expect(config.webhook.routes.get('of-ops')?.retiredSecrets).toMatchObject([{secret: 'ops-old'}]);
	expect(secretsOf('of-dev')).toEqual(['dev-hook']);
	const {routes: all, skipped} = buildRouteTable(config, {
		entries: {
			a: {profile: 'ops', secret: '${HOOK}'},
			b: {profile: 'dev', secret: '${MINE}'},
			c: {secret: '${MINE}'},
			d: {
				profile: 'ops',
				secret: 's',
				retired_secrets: [{secret: '${OLD}', until: '2026-01-01T00:00Z'}],
			},
		},
	});
	expect(all.get('a')?.secrets).toEqual(['ops-hook']);
	expect(all.get('c')?.secrets).toEqual(['own-only']);
	expect(all.get('d')?.retiredSecrets).toMatchObject([{secret: 'ops-old'}]);
	expect(skipped).toMatchObject([
		{
			name: 'b',
			reason:
				'Route "b" cannot be used: secret ${MINE} is not set in the .env of profile "dev" or in the environment',
		},
	]);
	expect(config.secretValues).toEqual(
		expect.arrayContaining(['own-hook', 'ops-hook', 'shared-hook', 'ops-old', 'dev-hook']),
	);
});

test("a variable that a profile lacks is an error at its place, in the profile's name", () => {
	using home = createTemporaryHome();
	makeProfile(home, 'ops');
	const routes = '      bound: {profile: ops, secret: "${HOOK}"}\n';
	expect(problemsOf(home.load({config: multiplexing(routes), env: 'HOOK=own'}))).toEqual([
		'config.yaml:8:37 platforms.webhook.routes.bound.secret: ${HOOK} is not set in the .env of profile "ops" or in the environment',
	]);
});

test('each profile has its files and its variables, and secrets of all are known', () => {
	using home = createTemporaryHome();
	const ops = makeProfile(home, 'ops', 'GH_TOKEN=ops-token\n');
	const config = configOf(
		home.load(
			{config: multiplexing(), env: 'GH_TOKEN=own-token\nPLAIN=own'},
			{environment: {LANG: 'C'}},
		),
	);
	expect(config.profiles.of('ops')).toEqual({
		name: 'ops',
		paths: ops,
		environment: {LANG: 'C', GH_TOKEN: 'ops-token'},
		exists: true,
	});
	expect(config.profiles.of('ops').paths.scripts).toBe(
		join(home.paths.home, 'profiles', 'ops', 'scripts'),
	);
	expect(config.profiles.of('default')).toMatchObject({
		name: 'default',
		paths: home.paths,
		environment: {LANG: 'C', GH_TOKEN: 'own-token', PLAIN: 'own'},
	});
	expect(config.secretValues).toEqual(expect.arrayContaining(['ops-token', 'own-token']));
});

test('the profiles are the folders with names that a profile can have', () => {
	using home = createTemporaryHome();
	for (const name of ['zeta', 'alpha', 'default', 'Upper', '.hidden']) {
		mkdirSync(join(home.paths.home, 'profiles', name), {recursive: true});
	}

	writeFileSync(join(home.paths.home, 'profiles', 'file'), '');
	symlinkSync(join(home.paths.home, 'scripts'), join(home.paths.home, 'profiles', 'linked'));
	symlinkSync('/nowhere', join(home.paths.home, 'profiles', 'dangling'));
	const {profiles} = configOf(home.load({config: multiplexing()}));
	expect(profiles.others.map(({name}) => name)).toEqual(['alpha', 'linked', 'zeta']);
});

test('more profiles than anybody has are not all read', () => {
	using home = createTemporaryHome();
	for (let index = 0; index < 101; index += 1) {
		makeProfile(home, `p${String(index).padStart(3, '0')}`);
	}

	const loaded = home.load({config: multiplexing()});
	expect(configOf(loaded).profiles.others).toHaveLength(100);
	expect(problemsOf(loaded)).toEqual([
		'profiles: holds more than 100 profiles: only the first 100 by name are served',
	]);
});

test("a profile's folder need not exist yet; that is said", () => {
	using home = createTemporaryHome();
	const loaded = home.load(
		{config: multiplexing('      bound: {profile: later}\n'), env: 'OWN=1'},
		{environment: {LANG: 'C'}},
	);
	const {webhook, profiles} = configOf(loaded);
	const folder = join(home.paths.home, 'profiles', 'later');
	expect(webhook.routes.get('bound')?.profile).toBe('later');
	expect(problemsOf(loaded)).toEqual([
		`config.yaml:8:24 platforms.webhook.routes.bound.profile: profile "later" has no folder yet: "${folder}"`,
	]);
	expect(profiles.of('later')).toMatchObject({exists: false, environment: {LANG: 'C'}});
	const {warnings} = buildRouteTable(configOf(loaded), {entries: {dynamic: {profile: 'later'}}});
	expect(warnings).toMatchObject([
		{
			severity: 'warning',
			key: 'dynamic.profile',
			message: `profile "later" has no folder yet: "${folder}"`,
		},
	]);
});

test('a broken `.env` of a profile is reported, and its last good variables stay', () => {
	using home = createTemporaryHome();
	const {env} = makeProfile(home, 'ops', 'HOOK=good-hook\n');
	const config = multiplexing('      bound: {profile: ops, secret: "${HOOK}"}\n');
	const before = configOf(home.load({config}));
	rmSync(env);
	mkdirSync(env);
	const options = {paths: home.paths, environment: {}};
	expect(problemsOf(loadConfig(options))).toEqual([
		`.env: Cannot read "${env}": it is not a file; it counts as empty`,
		expect.stringContaining('${HOOK} is not set in the .env of profile "ops"'),
	]);

	const after = loadConfig({...options, before: before});
	expect(problemsOf(after)).toEqual([
		`.env: Cannot read "${env}": it is not a file; the last good variables stay in place`,
	]);
	expect(configOf(after).webhook.routes.get('bound')?.secrets).toEqual(['good-hook']);
	// And once more: what stayed stays.
	const again = loadConfig({...options, before: configOf(after)});
	expect(configOf(again).profiles.of('ops').environment).toEqual({HOOK: 'good-hook'});

	rmSync(env, {recursive: true});
	writeFileSync(env, 'HOOK=mended-hook\n');
	const mended = loadConfig({...options, before: configOf(again)});
	expect(problemsOf(mended)).toEqual([]);
	expect(configOf(mended).webhook.routes.get('bound')?.secrets).toEqual(['mended-hook']);
});

test('the stamp changes with every profile that comes, goes or gets another `.env`', () => {
	using home = createTemporaryHome();
	const seen = [profileStamp(home.paths)];
	const {env, home: folder} = makeProfile(home, 'ops');
	seen.push(profileStamp(home.paths));
	writeFileSync(env, 'A=1');
	utimesSync(env, 1, 1);
	seen.push(profileStamp(home.paths));
	utimesSync(env, 2, 2);
	seen.push(profileStamp(home.paths));
	expect(profileStamp(home.paths)).toBe(seen.at(-1));
	rmSync(folder, {recursive: true});
	seen.push(profileStamp(home.paths));
	expect(new Set(seen).size).toBe(4);
	expect(seen[4]).toBe(seen[0]);
});

test("a name that is no folder's has no profile", () => {
	using home = createTemporaryHome();
	const {profiles} = configOf(home.load());
	for (const name of ['../x', '', 'A', 'a/b']) {
		expect(() => profiles.of(name)).toThrow(/Cannot use profile/);
	}
});

test('secrets that a route had before are known to the log too', () => {
	using home = createTemporaryHome();
	const retired = [{secret: 'old-one', until: '2026-01-01T00:00:00Z'}];
	const config = configOf(
		home.load({
			config: multiplexing(
				`      r: {secret: new-one, retired_secrets: ${JSON.stringify(retired)}}\n`,
			),
		}),
	);
	expect(config.secretValues).toEqual(expect.arrayContaining(['new-one', 'old-one']));
	const table = buildRouteTable(config, {
		entries: {own: {secret: 'dyn-new', retired_secrets: [{...retired[0], secret: 'dyn-old'}]}},
	});
	expect(secretsInTable(table)).toEqual(
		expect.arrayContaining(['new-one', 'old-one', 'dyn-new', 'dyn-old']),
	);
});

test('`profile_not_served` is nothing that keeps a subscription from being made', () => {
	using home = createTemporaryHome();
	const config = configOf(home.load());
	expect(checkSubscription('a', {secret: 's', profile: 'ops'}, config).refusals).toEqual([]);
	expect(checkSubscription('a', {profile: 'ops'}, config).refusals.map(codeOf)).toEqual([
		'route_without_secret',
	]);
});
