import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {startScriptedModel} from '../../tests/helpers/scripted-model.ts';
import {startAuthorizationServer} from '../../tests/mcp/servers/authorization-server.ts';
import {savePicture} from './save-picture.ts';
import {pause, startInTerminal} from './terminal.ts';

const browserProgram = fileURLToPath(
	new URL('../../tests/mcp/servers/browser-program.ts', import.meta.url),
);
const main = fileURLToPath(new URL('../../build/main.js', import.meta.url));

const sizes = [
	{cols: 120, rows: 36},
	{cols: 80, rows: 24},
] as const;

const settleMs = 1500;

/** The pictures of pane 4: a code that waits, at two sizes; beside it a server that is logged in, and one that still needs it. */
export async function drawLogins({png}: {readonly png?: string}): Promise<void> {
	await using crm = await startAuthorizationServer();
	await using tracker = await startAuthorizationServer();
	await using wiki = await startAuthorizationServer();
	await using model = await startScriptedModel([]);
	for (const size of sizes) {
		const folder = mkdtempSync(join(tmpdir(), 'svc-demo-'));
		const config = {
			model: {provider: 'openai-compatible', name: 'scripted-1', base_url: model.baseUrl},
			platforms: {webhook: {enabled: true, host: '127.0.0.1', port: 0}},
			mcp_servers: {
				crm: {url: crm.url, auth: 'oauth'},
				tracker: {url: tracker.url, auth: 'oauth', oauth: {flow: 'device'}},
				wiki: {url: wiki.url, auth: 'oauth'},
			},
		};
		writeFileSync(join(folder, 'config.yaml'), JSON.stringify(config), {mode: 0o600});
		{
			// oxlint-disable-next-line no-await-in-loop -- one screen after the other
			await using terminal = startInTerminal(
				[process.execPath, main],
				{
					PATH: process.env['PATH'] ?? '',
					HOME: folder,
					SVC_HOME: folder,
					TERM: 'xterm-256color',
					COLORTERM: 'truecolor',
					LANG: 'C.UTF-8',
					BROWSER: `'${process.execPath}' '${browserProgram}'`,
				},
				size,
			);
			await terminal.waitFor('! 3 logins');
			await terminal.press('4', 'g', 'l');
			await terminal.waitFor('● logged in');
			await terminal.press('esc', 'j', 'l');
			await terminal.waitFor('2 type');
			// The word of the first login has left the last row.
			await terminal.waitFor('? help');
			await pause(settleMs);
			await savePicture(terminal.screen(), {
				name: size.cols > 100 ? 'logins' : 'logins-80x24',
				title: 'svc: a login with a code, where to type it, and the hosts of both sides',
				...(png !== undefined && {png}),
			});
		}

		rmSync(folder, {recursive: true, force: true, maxRetries: 5});
	}
}
