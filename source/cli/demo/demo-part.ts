import {createInterface} from 'node:readline';
import type {Context} from '../console/context.ts';
import {tell} from '../console/print.ts';
import {createToolServer} from './servers/tool-server.ts';
import {toolSets, type ToolSetName} from './servers/tools.ts';

/** What a process of the demo may be: a tool server on standard input and output, or the browser of a login. */
export async function runDemoPart(
	context: Context,
	[name = '', url = '']: readonly string[],
): Promise<void> {
	if (name === 'browser' && new URL(url).hostname === '127.0.0.1') {
		await fetch(url);
	} else if (Object.hasOwn(toolSets, name)) {
		// Checked just now.
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion
		await serveTools(context, name as ToolSetName);
	} else {
		tell(context, `The demo has no part "${name}"`);
		context.exit(2);
	}
}

/** Until its input ends: with whoever started it. */
async function serveTools({stdin, stdout}: Context, name: ToolSetName): Promise<void> {
	const answer = createToolServer(name);
	for await (const line of createInterface({input: stdin})) {
		for (const message of answer(JSON.parse(line))) {
			stdout.write(`${JSON.stringify(message)}\n`);
		}
	}
}
