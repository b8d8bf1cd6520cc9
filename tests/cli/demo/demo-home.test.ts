import {existsSync} from 'node:fs';
import {delimiter, dirname} from 'node:path';
import {expect, test} from 'vitest';
import {makeDemoHome} from '../../../source/cli/demo/demo-home.ts';

test('the demo gets the terminal of the person, and nothing that holds a key or names another place', () => {
	const home = makeDemoHome();
	const given = home.environment({
		PATH: '/usr/bin',
		TERM: 'xterm-256color',
		EDITOR: 'ed',
		HOME: '/home/alice',
		SVC_HOME: '/home/alice/.svc',
		SVC_PROFILE: 'work',
		API_PORT: '1',
		OPENAI_API_KEY: 'sk-secret',
		GITHUB_TOKEN: 'ghp_secret',
		NODE_OPTIONS: '--require /tmp/x.js',
		HTTPS_PROXY: 'http://proxy',
		BROWSER: 'firefox',
	});
	const folder = dirname(home.path);
	expect(given).toEqual({
		TERM: 'xterm-256color',
		EDITOR: 'ed',
		PATH: `${folder}/bin${delimiter}/usr/bin`,
		HOME: folder,
		SVC_HOME: home.path,
		BROWSER: `${folder}/bin/browser`,
	});
	home[Symbol.dispose]();
	expect(existsSync(folder)).toBe(false);
});
