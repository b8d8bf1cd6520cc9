import {statSync, writeFileSync} from 'node:fs';
import {hostname} from 'node:os';
import {expect, test} from 'vitest';
import {identifyHome, readStorePlace, storePlaceOf} from '../../source/config/store-place.ts';
import {createTemporaryHome, configOf, problemsOf} from './temporary-home.ts';

const secret = 'p@ss/w#rd %41:';

const placeOf = (store: string, env = '') => {
	using home = createTemporaryHome();
	const config = configOf(
		home.load({config: JSON.stringify({gateway: {store}}), env: `PGPASSWORD='${secret}'\n${env}`}),
	);
	return {...storePlaceOf(config), secrets: config.secretValues};
};

test('without a word of it the store is the file of the home', () => {
	using home = createTemporaryHome();
	const place = storePlaceOf(configOf(home.load()));
	expect(place).toMatchObject({file: home.paths.stateDb});
	expect(place.url).toBe(undefined);
	expect(place.broken).toBe(undefined);
});

test('a password of any characters may come from a variable: it is percent-encoded where it stands, and shown nowhere', () => {
	const {url, secrets} = placeOf(
		'postgres://svc:${PGPASSWORD}@db.example.com:6432/svc?sslmode=require',
	);
	expect(url).toBe(
		`postgres://svc:${encodeURIComponent(secret)}@db.example.com:6432/svc?sslmode=require`,
	);
	expect(decodeURIComponent(new URL(url ?? '').password)).toBe(secret);
	expect(secrets).toEqual(expect.arrayContaining([secret, encodeURIComponent(secret)]));
});

test('a variable may be the whole URL', () => {
	const whole = 'postgresql://svc@db.example.com/svc';
	expect(placeOf('${DATABASE_URL}', `DATABASE_URL=${whole}`).url).toBe(whole);
});

test.for([
	['mysql://svc@host/db', 'must be "sqlite" or a URL that starts with postgres://'],
	['postgres://svc:a-secret-word@host', 'names no database'],
	['postgres:///db', 'names no host'],
	['postgres://svc:a-secret-word%zz@host/db', 'begins no percent-encoding'],
	['postgres://svc:a-secret-word@host:port/db', 'is no URL'],
	['postgres://svc@host/db#a-secret-word', 'has a "#"'],
	['postgres://svc:${NOWHERE}@host/db', '${NOWHERE} is not set'],
] as const)('%s is refused: no store is opened, and no secret is told', ([store, reason]) => {
	using home = createTemporaryHome();
	const loaded = home.load({config: JSON.stringify({gateway: {store}})});
	const problems = problemsOf(loaded).join('\n');
	expect(problems).toContain('gateway.store');
	expect(problems).toContain(reason);
	expect(problems).not.toContain('a-secret-word');
	const {broken, url} = storePlaceOf(configOf(loaded));
	expect(url).toBe(undefined);
	expect(broken).toContain(reason);
});

test('another slip of the section takes the store of the file from nobody', () => {
	using home = createTemporaryHome();
	const config = configOf(home.load({config: 'gateway: {node: "\\e[31m"}'}));
	expect(storePlaceOf(config).broken).toBe(undefined);
});

test('"gateway.store_key": bounded text, at least 16 characters, shown nowhere', () => {
	using home = createTemporaryHome();
	const short = home.load({config: 'gateway: {store_key: too-short}'});
	expect(problemsOf(short)).toEqual([
		expect.stringContaining('gateway.store_key: must have 16 to 1,024 characters'),
	]);
	const key = 'a key of the store, long enough';
	const config = configOf(home.load({config: JSON.stringify({gateway: {store_key: key}})}));
	expect(config.gateway.storeKey).toBe(key);
	expect(config.secretValues).toContain(key);
});

test('a command without a gateway goes to the store of the configuration', async () => {
	using home = createTemporaryHome();
	const url = 'postgres://svc@host/db';
	home.load({config: `gateway: {store: "${url}", node: east}`});
	expect(await readStorePlace(home.paths, {})).toMatchObject({url, node: 'east'});
	home.load({config: 'gateway: {store: "postgres://"}'});
	await expect(readStorePlace(home.paths, {})).rejects.toMatchObject({code: 'journal_unavailable'});
});

test('a home has one identity for good, another home another one, and neither is readable for others', async () => {
	using home = createTemporaryHome();
	using other = createTemporaryHome();
	const identity = await identifyHome(home.paths);
	expect(identity.place).toMatch(/^[\da-f-]{36}$/);
	expect(identity.location.split('\n')[0]).toBe(`${hostname()}:${home.paths.home}`);
	expect(await identifyHome(home.paths)).toEqual(identity);
	expect((await identifyHome(other.paths)).place).not.toBe(identity.place);
	expect(statSync(home.paths.memberId).mode & 0o777).toBe(0o600);
	// What a crash, or an editor, left in it is no identity.
	writeFileSync(home.paths.memberId, 'x');
	expect((await identifyHome(home.paths)).place).not.toBe(identity.place);
});
