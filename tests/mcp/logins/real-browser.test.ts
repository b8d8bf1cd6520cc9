import {execFile} from 'node:child_process';
import {promisify} from 'node:util';
import {expect, test} from 'vitest';
import {need} from '../../helpers/need.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';
import {startAuthorizationServer} from '../servers/authorization-server.ts';
import {loginWorld} from './login-world.ts';

test('a real browser comes back through a login and ends on a page that it can show', async context => {
	need('chromium', context);
	await using folder = await temporaryHome();
	await using site = await startAuthorizationServer();
	await using world = await loginWorld({url: site.url});
	world.start();
	const {url = ''} = await world.waiting();

	const {stdout, stderr} = await promisify(execFile)(
		'chromium',
		[
			'--headless',
			// Its sandbox wants rights that a test has not everywhere; the pages are ours.
			'--no-sandbox',
			'--disable-gpu',
			'--disable-background-networking',
			'--no-first-run',
			`--user-data-dir=${folder.file('profile')}`,
			'--enable-logging=stderr',
			'--window-size=700,400',
			`--screenshot=${folder.file('page.png')}`,
			'--dump-dom',
			url,
		],
		{timeout: 50_000, maxBuffer: 16 * 1024 * 1024},
	);

	expect(await world.over()).toMatchObject({status: 'succeeded'});
	expect(stdout).toContain('<h1>Logged in</h1>');
	expect(stdout).toContain('You can close this page and go back to the terminal.');
	expect(stderr.split('\n').filter(line => line.includes('CONSOLE'))).toEqual([]);
});
