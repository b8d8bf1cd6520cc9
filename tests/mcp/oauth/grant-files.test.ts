import {execFile} from 'node:child_process';
import {chmod, mkdir, readdir, stat, symlink, writeFile} from 'node:fs/promises';
import {promisify} from 'node:util';
import {expect, test} from 'vitest';
import {systemClock} from '../../../source/core/clock.ts';
import {codeOf} from '../../../source/core/errors.ts';
import {fileStem, grantFiles} from '../../../source/mcp/oauth/grant-files.ts';
import {replacePrivateFile} from '../../../source/mcp/oauth/private-file.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';

const url = 'https://crm.example/mcp';

const open = (folder: string, server = 'crm') =>
	grantFiles(folder, {server, url, clock: systemClock});

test.for(['crm', 'a.b-c_d', 'X9'])('the files of %s are named after it', name => {
	expect(fileStem(name)).toBe(name);
});

test.for([
	'..',
	'../../etc/passwd',
	'.hidden',
	'a/b',
	'a\\b',
	'a\0b',
	'crm.client',
	'crm.META',
	'ä',
	'',
	'-x',
	'x'.repeat(200),
])("the files of %j stay in their folder and are nobody else's", name => {
	expect(fileStem(name)).toMatch(/^[\w-]{1,53}$/);
	expect(fileStem(name)).not.toBe(fileStem(`${name}x`));
});

test('what a file that is no login holds is not in the message', async () => {
	await using home = await temporaryHome({'crm.json': '{"access_token": "SECRET-12345"'});

	const failure = await open(home.path)
		.tokens()
		.catch((error: unknown) => error);

	expect(codeOf(failure)).toBe('login_file_unusable');
	expect(String(failure)).toContain('it does not hold a login');
	expect(String(failure)).not.toContain('SECRET');
});

test('metadata that cannot be read is found out again', async () => {
	await using home = await temporaryHome({'crm.meta.json': '[1, 2'});

	expect(await open(home.path).known()).toEqual({});
});

test('links are refused, for reading and for writing', async () => {
	await using home = await temporaryHome({'elsewhere.json': '{}'});
	await mkdir(home.file('tokens'), {mode: 0o700});
	await symlink(home.file('elsewhere.json'), home.file('tokens/crm.json'));
	await symlink(home.file('tokens'), home.file('linked'));
	const files = open(home.file('tokens'));

	await expect(files.tokens()).rejects.toThrow('it is a symbolic link');
	await expect(files.saveTokens({access_token: 'a', token_type: 'Bearer'})).rejects.toThrow(
		'it is a symbolic link',
	);
	await expect(open(home.file('linked')).client()).rejects.toThrow('its folder is a symbolic link');
	expect(await home.read('elsewhere.json')).toBe('{}');
});

test('a file that cannot be replaced stays as it was, and nothing is left beside it', async () => {
	await using home = await temporaryHome();
	const files = open(home.path);
	await files.saveTokens({access_token: 'old', token_type: 'Bearer'});
	const before = await home.read('crm.json');

	await mkdir(home.file('crm.client.json'));
	await expect(files.saveClient({client_id: 'c'})).rejects.toThrow('Cannot use');
	await expect(replacePrivateFile(home.file('crm.json/x'), 'y')).rejects.toThrow('Cannot use');

	expect(await home.read('crm.json')).toBe(before);
	expect((await readdir(home.path)).filter(name => name.endsWith('.tmp'))).toEqual([]);
});

test('a file that is too large or no file is refused', async () => {
	await using home = await temporaryHome();
	await writeFile(home.file('crm.json'), ' '.repeat(1_048_577));
	await mkdir(home.file('b.json'));

	await expect(open(home.path).tokens()).rejects.toThrow('it is too large');
	await expect(open(home.path, 'b').tokens()).rejects.toThrow('it is not a file');
});

test('a grant keeps what it came with, and its end as a time', async () => {
	await using home = await temporaryHome();
	const files = open(home.path);
	const now = Math.floor(Date.now() / 1000);

	await files.saveTokens({
		access_token: 'a',
		token_type: 'Bearer',
		refresh_token: 'r',
		expires_in: 600,
		issuer: 'https://auth.example',
	});

	const stored = JSON.parse(await home.read('crm.json'));
	expect(stored).toMatchObject({refresh_token: 'r', issuer: 'https://auth.example', url});
	expect(stored).not.toHaveProperty('expires_in');
	expect(stored.expires_at - now).toBeGreaterThanOrEqual(600);
	expect(stored.expires_at - now).toBeLessThan(700);
});

test.for(['a\r\nX-Evil: 1', 'a b', 'é', '\u{1f600}', ''])(
	'a file whose access token is %j, which no header takes, holds no login',
	async token => {
		await using home = await temporaryHome({
			'crm.json': JSON.stringify({access_token: token, token_type: 'Bearer'}),
		});

		await expect(open(home.path).tokens()).rejects.toThrow('it does not hold a login');
	},
);

test.for([1e308, -1e308, 1e13, -1])(
	'tokens that say that they live for %d s end at a time that there is',
	async lifetime => {
		await using home = await temporaryHome();
		const files = open(home.path);
		const before = Math.floor(Date.now() / 1000);

		await files.saveTokens({access_token: 'a', token_type: 'Bearer', expires_in: lifetime});

		const {expires_at: end = 0} = (await files.tokens()) ?? {};
		expect(new Date(end * 1000).getTime()).toBe(end * 1000);
		expect(end).toBeGreaterThanOrEqual(before);
		expect(new Date(end * 1000).getFullYear()).toBeLessThan(2200);
	},
);

test.for([{expires_at: 1e308}, {issued_at: -1e16, expires_at: 5}])(
	'a file with %j, which is no time, holds no login',
	async times => {
		await using home = await temporaryHome({
			'crm.json': JSON.stringify({access_token: 'a', token_type: 'Bearer', ...times}),
		});

		await expect(open(home.path).tokens()).rejects.toThrow('it does not hold a login');
	},
);

test('a folder that others could read is closed before anything is in it', async () => {
	await using home = await temporaryHome();
	const folder = home.file('tokens');
	await mkdir(folder);
	await chmod(folder, 0o777);

	await open(folder).saveTokens({access_token: 'a', token_type: 'Bearer'});

	expect((await stat(folder)).mode & 0o777).toBe(0o700);
});

test('a pipe in the place of a file holds nobody', async () => {
	await using home = await temporaryHome();
	await promisify(execFile)('mkfifo', [home.file('crm.json')]);

	await expect(open(home.path).tokens()).rejects.toThrow('it is not a file');
});
