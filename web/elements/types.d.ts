// The cards, as `tools/run` answers them.

export interface CardError {
  code: string;
  message?: string;
  retryable?: boolean;
}

interface PageData {
  url?: string;
  final_url?: string;
  title?: string;
  status_code?: number;
  truncated?: boolean;
  error?: CardError;
}

export interface ScreenshotCardData extends PageData {
  image_base64?: string;
  mime_type?: string;
  width?: number;
  height?: number;
}

export interface ExtractCardData extends PageData {
  content?: string;
  format?: string;
}

export interface SessionCardData {
  session?: string;
  url?: string;
  title?: string;
  action?: string;
  live_url?: string;
  error?: CardError;
}

export type BrowserCard =
  | { type: 'browser-screenshot'; data: ScreenshotCardData }
  | { type: 'browser-extract'; data: ExtractCardData }
  | { type: 'browser-session'; data: SessionCardData };
