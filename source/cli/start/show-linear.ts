import {lineOf, needsOf} from '../../nouns/needs.ts';
import {tell, tellEach} from '../console/print.ts';
import {runPrompt} from '../linear/prompt.ts';
import {type Shown, whenToLeave} from './detach.ts';
import {leaveFace} from './show-screen.ts';

/** Runs the prompt for commands until the person leaves, a signal arrives, the terminal is lost, or the gateway ends. @see manual/linear.md */
export async function showLinear(shown: Shown): Promise<void> {
	const {context, port, gateway, firstRun} = shown;
	const ended = whenToLeave(shown);
	await gateway?.started;
	const state = port.getState();
	const {
		webhook,
		gateway: {pid},
	} = state;
	tell(
		context,
		`svc ${context.version}, ${gateway ? 'with a gateway in this process' : `attached to the gateway of process ${pid}`}. Type a command, "help" or "quit".`,
	);
	tellEach(context, firstRun?.steps ?? []);

	if (webhook.state === 'listening') {
		tell(context, `Webhooks are received at ${webhook.url}`);
	}

	const needs = needsOf(state, context.clock.now()).slice(0, mostNeeds);
	tellEach(context, needs.map(lineOf));

	const {reason, code} = await runPrompt({context, port, ended});
	context.exit(context.stdin.isTTY ? 0 : code);
	await leaveFace(shown, reason);
}

/** How many matters that need a person are listed at the start. */
const mostNeeds = 10;
