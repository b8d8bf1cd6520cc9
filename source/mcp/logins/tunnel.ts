import {isIP} from 'node:net';
import {type Environment, variable} from '../../config/environment.ts';

/**
 * The command to run where the browser is, so that it can reach a callback port of this machine; `undefined` if the person is at this machine. Uses the address
 * that the person's own SSH connection goes to.
 */
export function tunnelTo(port: number, environment: Environment): string | undefined {
	const [, , address = '', sshPort = ''] = (variable(environment, 'SSH_CONNECTION') ?? '').split(
		' ',
	);
	if (isIP(address) === 0) {
		return variable(environment, 'SSH_TTY') || variable(environment, 'SSH_CLIENT')
			? `ssh -N -L ${port}:127.0.0.1:${port} <this machine>`
			: undefined;
	}

	const user = variable(environment, 'USER') ?? variable(environment, 'LOGNAME') ?? '';
	const who = /^[\w.-]+$/.test(user) && !user.startsWith('-') ? `${user}@` : '';
	const other = /^\d+$/.test(sshPort) && sshPort !== '22' ? `-p ${sshPort} ` : '';
	return `ssh -N -L ${port}:127.0.0.1:${port} ${other}${who}${address}`;
}
