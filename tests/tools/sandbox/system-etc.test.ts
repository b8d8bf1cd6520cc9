import {mkdirSync, readdirSync, readFileSync, readlinkSync, statSync, symlinkSync} from 'node:fs';
import {expect, test} from 'vitest';
import {type Mount, sandboxPlan} from '../../../source/tools/sandbox/plan.ts';
import {etcFolder} from '../../../source/tools/sandbox/system-etc.ts';
import {systemWorld} from '../../../source/tools/sandbox/system-world.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';

const places = (home: {readonly file: (name: string) => string}): readonly Mount[] => [
	{kind: 'read', from: home.file('system/certs'), path: '/etc/ssl/certs'},
	{kind: 'link', to: '/usr/share/zoneinfo/UTC', path: '/etc/localtime'},
	{kind: 'text', text: 'user:x:1:1::/:\n', path: '/etc/passwd'},
];

test('the folder holds files, links and texts of its places, and is copied anew when one of them changes', async () => {
	await using home = await temporaryHome({'system/certs/a.pem': 'a'});
	symlinkSync('a.pem', home.file('system/certs/hash.0'));
	const cache = home.file('cache');

	const folder = etcFolder(places(home), cache) ?? '';

	expect(readFileSync(`${folder}/ssl/certs/a.pem`, 'utf8')).toBe('a');
	expect(readlinkSync(`${folder}/ssl/certs/hash.0`)).toBe('a.pem');
	expect(readlinkSync(`${folder}/localtime`)).toBe('/usr/share/zoneinfo/UTC');
	expect(readFileSync(`${folder}/passwd`, 'utf8')).toBe('user:x:1:1::/:\n');
	expect(statSync(folder).mode & 0o777).toBe(0o755);
	expect(statSync(cache).mode & 0o777).toBe(0o700);
	expect(etcFolder(places(home), cache)).toBe(folder);

	await home.write('system/certs/c.pem', 'c');
	const next = etcFolder(places(home), cache) ?? '';

	expect(next).not.toBe(folder);
	expect(readdirSync(`${next}/ssl/certs`)).toContain('c.pem');
	for (let change = 0; change < 6; change += 1) {
		await home.write(`system/certs/more-${change}.pem`, 'd');
		etcFolder(places(home), cache);
	}

	expect(readdirSync(cache)).toHaveLength(4);
});

test('what holds too much, or a cache that cannot be made, gives no folder and leaves nothing', async () => {
	await using home = await temporaryHome({'system/certs/a.pem': 'x', file: ''});
	expect(etcFolder(places(home), home.file('file/cache'))).toBeUndefined();

	await home.write('system/certs/big.pem', Buffer.alloc(2 ** 25).toString());
	mkdirSync(home.file('cache'));

	expect(etcFolder(places(home), home.file('cache'))).toBeUndefined();
	expect(readdirSync(home.file('cache'))).toEqual([]);
});

test('a plan has one mount for /etc, or one for each place where something below it is listed', async () => {
	await using home = await temporaryHome({'svc/x': '', 'person/x': '', 'work/x': ''});
	const planned = (read: readonly string[]) =>
		sandboxPlan(
			{workdir: home.file('work'), read, write: [], memoryBytes: 2 ** 20},
			systemWorld({
				userHome: home.file('person'),
				svcHome: home.file('svc'),
				profileHome: home.file('svc'),
				environment: {},
			}),
		);
	const below = (read: readonly string[]) => {
		const result = planned(read);
		return result.kind === 'plan'
			? result.plan.mounts.map(({path}) => path).filter(path => path.startsWith('/etc'))
			: [];
	};

	expect(below([])).toEqual(['/etc']);
	expect(below(['/etc/hostname'])).toEqual(
		expect.arrayContaining(['/etc/passwd', '/etc/hosts', '/etc/hostname']),
	);
});
