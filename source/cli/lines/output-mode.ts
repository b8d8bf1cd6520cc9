/** The formats of lines that `--output` accepts. */
export const lineFormats = ['compact', 'json', 'quiet'] as const;

export type LineFormat = (typeof lineFormats)[number];

/** How `svc` presents events. `none`: impossible; print the hint and exit with 2. */
export type OutputMode = 'tui' | 'linear' | LineFormat | 'none';

/** `screen` draws regardless of the environment. */
export const outputFormats = [...lineFormats, 'screen'] as const;

export type OutputFormat = (typeof outputFormats)[number];

export type OutputSituation = {
	readonly stdinIsTty: boolean;
	readonly stdoutIsTty: boolean;
	/** The process's environment: `NO_COLOR`, `TERM`, `CI`, `CONTINUOUS_INTEGRATION`, `SVC_SCREEN_READER`, `INK_SCREEN_READER` are read. */
	readonly environment: Readonly<Record<string, string | undefined>>;
	/** The validated value of `--output`. */
	readonly output?: OutputFormat | undefined;
	/** `--linear`. */
	readonly linear?: boolean;
};

/** Printed on stderr for `none`, with exit code 2. */
export const noTerminalHint =
	'There is no terminal to draw on: run `svc gateway run`, or choose lines with `svc --output compact|json|quiet`';

const isSet = (value: string | undefined) => value !== undefined && value !== '';

const isOn = (value: string | undefined) => isSet(value) && value !== '0' && value !== 'false';

/**
 * Chooses the output; must run before Ink is loaded, which throws on a pipe, prints nothing in CI, and draws on dumb terminals. `--output` overrides everything.
 * Without a terminal on both ends: `none`; a terminal that wants plain lines (`NO_COLOR`, `TERM=dumb`, CI) gets lines. A screen reader would read a screen again
 * at every redraw: `--linear` (also through pipes) and the variables of screen readers select the prompt.
 */
export function outputMode({
	stdinIsTty,
	stdoutIsTty,
	environment,
	output,
	linear = false,
}: OutputSituation): OutputMode {
	if (output !== undefined && output !== 'screen') {
		return output;
	}

	if (linear && output === undefined) {
		return 'linear';
	}

	if (!stdinIsTty || !stdoutIsTty) {
		return 'none';
	}

	if (output === 'screen') {
		return 'tui';
	}

	if (isOn(environment['SVC_SCREEN_READER']) || isOn(environment['INK_SCREEN_READER'])) {
		return 'linear';
	}

	return wantsLines(environment) ? 'compact' : 'tui';
}

const wantsLines = (environment: OutputSituation['environment']): boolean =>
	isSet(environment['NO_COLOR']) ||
	environment['TERM'] === 'dumb' ||
	isOn(environment['CI']) ||
	isOn(environment['CONTINUOUS_INTEGRATION']);
