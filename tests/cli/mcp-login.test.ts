import {readFile} from 'node:fs/promises';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';
import {temporaryHome} from '../helpers/temporary-home.ts';
import {startAuthorizationServer} from '../mcp/servers/authorization-server.ts';
import {command} from './command.ts';

const browserProgram = fileURLToPath(new URL('../mcp/servers/browser-program.ts', import.meta.url));
const browser = `'${process.execPath}' '${browserProgram}'`;

test('"svc mcp login" opens the browser, waits for it, and stores the login', async () => {
	await using home = await temporaryHome();
	await using site = await startAuthorizationServer();
	await home.write('config.yaml', `mcp_servers: {crm: {url: '${site.url}', auth: oauth}}\n`);

	const {code, stdout, stderr} = await command(['mcp', 'login', 'crm'], {
		home: home.path,
		environment: {BROWSER: browser},
	});

	const {host} = new URL(site.url);
	expect({code, stdout}).toEqual({code: 0, stdout: `Logged in to crm (${host})\n`});
	expect(stderr.split('\n')).toEqual([
		`Logging in to crm (${host})`,
		'The browser shows this page; agree there:',
		expect.stringMatching(/^ {2}http:\/\/127\.0\.0\.1:\d+\/auth\?/),
		'Or paste here the URL that the browser ends on, and press Enter',
		'Answered; the login is being completed',
		'',
	]);
	expect(JSON.parse(await readFile(home.file('mcp-tokens/crm.json'), 'utf8'))).toMatchObject({
		url: site.url,
		issuer: site.issuer,
	});
});
