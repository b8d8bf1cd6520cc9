/** Of `errorCodes`, those of install links. */
export const linkErrorCodes = {
	bad_encoding:
		'The `config` of the install link is no base64url or base64 of JSON in UTF-8: copy the whole link again, or tell its author',
	invalid_link:
		'The text is no install link: see the page "Install link" (`svc help install-link`)',
	invalid_name:
		'The `name` of the install link, or of `--name`, is not 1 to 64 characters of `A-Za-z0-9._-`',
	invalid_shape:
		'The `config` of the install link is no entry of a tool server: it needs exactly one of `url` and `command`, each key once, and no deep nesting',
	invalid_url:
		'The `url` of the install link does not begin with `http://` or `https://`, or holds a user name or a password',
	missing_config:
		'The install link has no `config`, or two: copy the whole link again, or tell its author',
	not_an_object: 'The `config` of the install link is JSON, but no object',
	payload_too_large:
		'The `config` of the install link has more than 43,700 characters, or 32 KiB decoded',
} as const;
