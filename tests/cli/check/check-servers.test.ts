import {mkdir} from 'node:fs/promises';
import {expect, test} from 'vitest';
import {testConfig} from '../../helpers/gateway.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';
import {command} from '../command.ts';

test('"config check" names servers whose variables are not set, for each profile that has runs', async () => {
	await using home = await temporaryHome({
		'config.yaml': testConfig({
			gateway: {multiplex_profiles: true},
			mcp_servers: {
				crm: {url: 'https://crm.example/mcp', headers: {'X-Key': '${CRM_KEY}'}},
				off: {url: '${NOWHERE}', enabled: false},
				local: {command: 'x', env: {A: '${NOT_SET}'}},
			},
		}),
		'.env': 'CRM_KEY=of-the-home\n',
	});
	await mkdir(home.file('profiles/acme'), {recursive: true});

	const {code, stderr} = await command(['config', 'check'], {home: home.path});

	expect(code).toBe(0);
	expect(stderr.split('\n').filter(line => line.includes('mcp_servers'))).toEqual([
		expect.stringContaining(
			`mcp_servers.crm: cannot be connected to for profile "acme": MCP server 'crm': \${CRM_KEY} in url/headers is not set in this profile's .env or secret source`,
		),
	]);
});

test('"config check" refuses an entry that is no server, at its place', async () => {
	await using home = await temporaryHome({
		'config.yaml': 'mcp_servers:\n  crm:\n    comand: x\n',
	});

	const {code, stderr} = await command(['config', 'check'], {home: home.path});

	expect(code).toBe(3);
	expect(stderr).toMatch(/config\.yaml:3:5 mcp_servers\.crm: needs "command"/);
});
