const variableName = 'SVC_LAUNCHER';

/**
 * The process that started this one for a person at a terminal (`svc.sh`), which ends with exit code 0 on SIGUSR1 while this one goes on; `undefined` when there is none. Takes its number out
 * of this process's environment: no program that is started from here is to have it, and a number that is not our parent's came from somewhere else.
 */
export function takeLauncher(): number | undefined {
	const text = process.env[variableName];
	delete process.env[variableName];
	return text !== undefined && Number(text) === process.ppid ? process.ppid : undefined;
}
