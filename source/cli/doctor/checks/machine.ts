import {nodeFlags} from '../../../core/program.ts';
import type {Context} from '../../console/context.ts';
import {
	type Check,
	failed,
	type CheckResult,
	type Heard,
	ok,
	unknown,
	warning,
	runProgram,
} from './check.ts';

const tmuxMs = 2000;

/** The terminal for the interface. */
export const terminal: Check = {
	subject: 'terminal',
	async look({context: {stdout, environment, clock}}, signal) {
		if (!stdout.isTTY) {
			return unknown('standard output is no terminal');
		}

		const tmux = environment['TMUX'] ? await tmuxVersion({environment, clock}, signal) : '';
		return healthOfTerminal(environment, {colours: 2 ** stdout.getColorDepth(environment), tmux});
	},
};

/** What a terminal's variables mean for the interface. Pure. */
export function healthOfTerminal(
	environment: Readonly<Record<string, string | undefined>>,
	{colours, tmux}: {readonly colours: number; readonly tmux: string},
): readonly CheckResult[] {
	const locale = environment['LC_ALL'] || environment['LC_CTYPE'] || environment['LANG'] || '';
	const term = environment['TERM'] ?? '';
	const problems = [
		!/utf-?8/i.test(locale) &&
			warning(
				`the locale ("${locale}") does not say UTF-8: lines and signs may be drawn wrong`,
				'export LANG=C.UTF-8',
			),
		(term === '' || term === 'dumb') &&
			warning(
				`TERM is "${term}": there is no screen, "svc" prints lines`,
				'export TERM=xterm-256color, if the terminal can do that',
			),
		isOldTmux(tmux) &&
			warning(
				`${tmux} is older than 3.2: copying and some colours do not pass`,
				'install a newer tmux',
			),
	].filter(problem => problem !== false);
	const shown = environment['NO_COLOR'] ? 'no colours (NO_COLOR)' : `${colours} colours`;
	return problems.length > 0
		? problems
		: [ok([`${term}, ${locale}, ${shown}`, ...(tmux === '' ? [] : [tmux])].join(', '))];
}

/** Parses `tmux 3.1c`; without a number, the version counts as new. */
function isOldTmux(text: string): boolean {
	const [, major, minor] = /(\d+)\.(\d+)/.exec(text) ?? [];
	return major !== undefined && Number(major) * 100 + Number(minor) < 302;
}

async function tmuxVersion(
	{environment, clock}: Pick<Context, 'clock' | 'environment'>,
	signal: AbortSignal,
): Promise<string> {
	const env = {PATH: environment['PATH'] ?? ''};
	const exit = await runProgram(['tmux', '-V'], {clock, env, timeoutMs: tmuxMs, signal});
	return exit.kind === 'exited' && exit.stdout.trim() !== ''
		? exit.stdout.trim()
		: 'tmux of unknown version';
}

/** Timestamped signatures are valid for five minutes; half of that leaves time to act. */
const maxSkewSeconds = 150;

/** This machine's clock, compared with the `Date` headers in answers to other checks. */
export const clock: Check = {
	subject: 'clock',
	comesLast: true,
	look: ({heard}) => healthOfClock(heard),
};

/** Pure. */
export function healthOfClock(heard: readonly Heard[]): CheckResult {
	const [first] = heard.flatMap(({from, date, at}) => {
		const theirs = Date.parse(date);
		return Number.isNaN(theirs) ? [] : [{from, seconds: Math.round((at - theirs) / 1000)}];
	});
	if (!first) {
		return unknown('no check asked a server that tells the time');
	}

	const {from, seconds} = first;
	const how = `${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} ${from}`;
	if (Math.abs(seconds) <= maxSkewSeconds) {
		return ok(seconds === 0 ? `it agrees with ${from}` : `it is ${how}`);
	}

	return (Math.abs(seconds) >= 300 ? failed : warning)(
		`it is ${how}: signatures with a time are refused from 300 s on`,
		'timedatectl set-ntp true, or whatever sets the clock of this machine',
	);
}

/** Node, its options, and its SQLite. An older Node never gets here: the program refuses it. */
export const program: Check = {
	subject: 'node',
	look({context: {version, environment}}) {
		const {version: node, execArgv, versions} = process;
		const given = `${execArgv.join(' ')} ${environment['NODE_OPTIONS'] ?? ''}`;
		const missing = nodeFlags.filter(flag => !given.includes(flag));
		const flags =
			missing.length === 0 ? '' : `; started without ${missing.join(' ')}, which only saves memory`;
		return ok(
			`svc ${version} on Node ${node} (24 or newer is needed), SQLite ${versions['sqlite'] ?? '?'}${flags}`,
		);
	},
};
