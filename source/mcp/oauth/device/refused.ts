import type {ToolServerConfig} from '../../../config/tool-server.ts';
import {ConnectError} from '../../wire/connect-error.ts';

/** Why there is no login. `reason`: cleaned, redacted. */
export const refused = (
	{name}: Pick<ToolServerConfig, 'name'>,
	reason: string,
	cause?: unknown,
): ConnectError =>
	new ConnectError(
		{kind: 'needs-login', message: `Cannot log in to tool server "${name}": ${reason}`},
		{cause},
	);
