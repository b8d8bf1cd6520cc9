import type {JsonObject} from '../../source/core/json.ts';
import {startApi, type Api} from './api.ts';
import {officialProgram} from './official-program.ts';
import {startScriptedModel, type ScriptedAnswer, type ScriptedModel} from './scripted-model.ts';

const everything = officialProgram('everything');

/** A tool of that server, for which somebody has to say yes. */
export const untrustedTool = 'mcp__every__toggle_simulated_logging';

export type Agents = AsyncDisposable & {readonly model: ScriptedModel; readonly api: Api};

/** An API whose agents have a model that says `answers`, and the tools of a server that nobody trusts. */
export async function startAgents(
	answers: readonly ScriptedAnswer[],
	config: JsonObject = {},
): Promise<Agents> {
	await using stack = new AsyncDisposableStack();
	const model = stack.use(await startScriptedModel(answers));
	const api = stack.use(
		await startApi(
			{},
			{
				config: {
					...config,
					model: {provider: 'openai-compatible', name: 'scripted-1', base_url: model.baseUrl},
					mcp_servers: {
						every: {command: process.execPath, args: [everything, 'stdio'], trust: 'untrusted'},
					},
				},
			},
		),
	);
	const opened = stack.move();
	return {model, api, [Symbol.asyncDispose]: async () => opened.disposeAsync()};
}
