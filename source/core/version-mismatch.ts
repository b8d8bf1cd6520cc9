/**
 * What a person has to know when a face and its gateway are of two versions of the program: both, what may come of it, and what to do; `undefined` when they are of one, or
 * the gateway has not said.
 */
export const versionMismatch = ({
	gateway,
	face,
}: {
	readonly gateway: string;
	readonly face: string;
}): readonly [facts: string, advice: string] | undefined =>
	gateway === '' || released(gateway) === released(face)
		? undefined
		: [
				`The gateway is svc ${gateway}, and this is svc ${face}. They go on together: what one of them does not know is left out, or fails and says so.`,
				'To have one version, end the gateway ("svc gateway stop") and start it again with the svc that you want.',
			];

/** A demo is of the version of its program. */
const released = (version: string): string => version.replace(/ demo$/, '');
