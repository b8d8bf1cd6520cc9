import {createInterface} from 'node:readline/promises';
import type {HomePaths} from '../../config/config.ts';
import {editConfig} from '../../config/edit-config.ts';
import {ensureHome} from '../../config/home-paths.ts';
import {loadConfig} from '../../config/load-config.ts';
import {generateSecret} from '../../config/merge-subscription.ts';
import {receiverEdits, type ReceiverSettings} from '../../config/set-up.ts';
import {warningOnSecrets} from '../../config/weak-secrets.ts';
import {defaultPort} from '../../core/loopback.ts';
import type {Context} from '../console/context.ts';
import {printLines, tell} from '../console/print.ts';

/**
 * Writes the receiver settings that were given to `config.yaml`, keeping its comments. Without any it asks, one by one, when there is somebody to ask; else
 * it says what to give (exit code 2). Whoever was asked gets the first key of the chat API, too.
 *
 * @throws SvcError as `editConfig` does
 * @see manual/commands.md
 */
export async function setUpReceiver(context: Context, given: ReceiverSettings): Promise<void> {
	const paths = context.paths({mayBeNew: true});
	const isAsking = Object.keys(given).length === 0;
	if (isAsking && !(context.stdin.isTTY && context.stderr.isTTY)) {
		tell(context, 'Nothing to write: name at least one of --enable, --host, --port, --secret');
		context.exit(2);
		return;
	}

	ensureHome(paths);
	const settings = isAsking ? await ask(context, paths) : given;
	const edits = receiverEdits(settings);
	const weak = settings.secret === undefined ? undefined : warningOnSecrets([settings.secret]);
	if (weak !== undefined) {
		tell(context, weak);
	}

	await editConfig(paths, edits, {clock: context.clock});
	printLines(context, [
		`Wrote ${edits.map(({path}) => path.join('.')).join(', ')} to ${paths.config}`,
		'A gateway that runs takes it over; host and port need a restart.',
	]);
	if (isAsking) {
		const {printFirstKey} = await import('../keys/first-key.ts');
		await printFirstKey(context);
	}
}

/** The wizard: each question shows what holds now, Enter keeps it. Ctrl-C leaves everything untouched. */
async function ask(context: Context, paths: HomePaths): Promise<ReceiverSettings> {
	const loaded = loadConfig({paths, environment: context.environment});
	const now = loaded.ok && loaded.config.exists ? loaded.config.webhook : undefined;
	using questions = createInterface({input: context.stdin, output: context.stderr});
	const question = async (text: string, current: string) =>
		(await questions.question(`${text} [${current}] `)).trim() || current;

	const enable = await askYesNo(question, 'Receive webhooks? yes or no');
	const host = await question(
		'Address to listen on (0.0.0.0 takes events from other machines)',
		now?.host ?? '127.0.0.1',
	);
	const port = await askPort(question, String(now?.port ?? defaultPort));
	const secret = await question(
		'Secret for routes without their own: text, "random", or "none" to leave it as it is',
		'none',
	);
	return {
		enable,
		host,
		port,
		...(secret !== 'none' && {secret: secret === 'random' ? generateSecret() : secret}),
	};
}

async function askYesNo(
	question: (text: string, current: string) => Promise<string>,
	text: string,
): Promise<boolean> {
	for (;;) {
		// oxlint-disable-next-line no-await-in-loop -- what is neither is asked again
		const answer = await question(text, 'yes');
		if (/^(?:y|yes|n|no)$/i.test(answer)) {
			return /^y/i.test(answer);
		}
	}
}

const maxPort = 65_535;

async function askPort(
	question: (text: string, current: string) => Promise<string>,
	current: string,
): Promise<number> {
	for (;;) {
		// A wrong answer is asked again.
		// oxlint-disable-next-line no-await-in-loop
		const answer = await question('Port', current);
		if (/^\d{1,5}$/.test(answer) && Number(answer) <= maxPort) {
			return Number(answer);
		}
	}
}
