/** Lines that `--output` takes. */
export const lineFormats = ['compact', 'json', 'quiet'] as const;

export type LineFormat = (typeof lineFormats)[number];

/** How `svc` shows what happens. `none`: nothing can be shown; print the hint and exit 2. */
export type OutputMode = 'tui' | 'linear' | LineFormat | 'none';

/** `screen` draws whatever the environment says. */
export const outputFormats = [...lineFormats, 'screen'] as const;

export type OutputFormat = (typeof outputFormats)[number];

export type OutputSituation = {
	readonly stdinIsTty: boolean;
	readonly stdoutIsTty: boolean;
	/** Of the process: `NO_COLOR`, `TERM`, `CI`, `CONTINUOUS_INTEGRATION`, `SVC_SCREEN_READER`, `INK_SCREEN_READER` are looked at. */
	readonly environment: Readonly<Record<string, string | undefined>>;
	/** The value of `--output`, checked already. */
	readonly output?: OutputFormat | undefined;
	/** `--linear`. */
	readonly linear?: boolean;
};

/** Printed on stderr, with exit code 2, for `none`. */
export const noTerminalHint =
	'There is no terminal to draw on: run `svc gateway run`, or choose lines with `svc --output compact|json|quiet`';

const isSet = (value: string | undefined) => value !== undefined && value !== '';

const isOn = (value: string | undefined) => isSet(value) && value !== '0' && value !== 'false';

/**
 * Which output fits; to be decided before Ink is loaded, because Ink throws on a pipe, prints nothing in CI and draws on dumb
 * terminals. `--output` decides alone. Without a terminal on both ends there is none; a terminal that wants plain lines
 * (`NO_COLOR`, `TERM=dumb`, CI) gets them. A screen reader would read a screen again whenever it is redrawn: `--linear`, also through pipes, and the variables of screen readers ask for a prompt.
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
